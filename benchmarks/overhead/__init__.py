"""What handrail itself costs: CPU time of whole runs, beside the same loop written by hand on the official client, and beside the peers.

- The same task everywhere, against the same local server; the model costs nothing, and every request is held to the script.
- Each contestant is a process of its own. They take turns, batch by batch, and only CPU time of the contestant's process counts.
- What is reported is a ratio within one round, and its median over the rounds: a machine that is slow for a while is slow for all.
"""
