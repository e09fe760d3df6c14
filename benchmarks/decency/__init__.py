"""Do runs end decently, however the model behaves? Trips over all temperaments, in handrail and beside it; see benchmarks/README.md."""
