"""One file a peer: the planner as that peer's users would write it. What is the same for all of them is in `kit`."""
