"""How many jobs a second several workers take on one PostgreSQL, how soon each begins, and what the bare engine does with the same jobs."""
