"""Do runs end decently, however the model behaves? Trips over all temperaments, with the ring and without; see benchmarks/README.md."""
