"""One step a file, named by its number."""
