"""Benchmarks: what handrail costs. README.md says how each measures."""
