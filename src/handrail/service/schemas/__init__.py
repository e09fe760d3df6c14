"""What goes in and out over HTTP. Pydantic ends here: behind it are our own structs."""
