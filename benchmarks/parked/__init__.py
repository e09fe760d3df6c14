"""What runs that wait for a person cost: a worker that has thousands of them beside one that has none."""
