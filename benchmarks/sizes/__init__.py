"""What handrail takes before it does anything: on the disk, in memory, and of the time until it is imported; the peers beside it."""
