"""Where and when a session is advanced: one contract, and its members."""
