"""Whether a small model of one's own gets tasks done: bare, with constrained decoding, and inside the ring. See benchmarks/README.md."""
