"""Who calls: API keys, browsers that have signed in, and the gate that nobody passes unseen."""
