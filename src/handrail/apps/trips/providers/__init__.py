"""Where the trip planner gets its facts: a small port, the embedded data set behind it, and driving times over OSRM."""
