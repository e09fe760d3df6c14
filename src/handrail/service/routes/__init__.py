"""The service's own routes, one noun a file. They read what came, ask the desk, and show what it says."""
