"""Does the service answer what its own description says? schemathesis asks it whatever fits the description, and whatever does not."""
