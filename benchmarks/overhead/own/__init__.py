"""handrail, and loops that are written by hand: what runs in handrail's own environment. One file a contestant."""
