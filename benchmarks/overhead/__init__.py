"""What handrail itself costs: CPU time of whole runs, beside the same loop written by hand on the official client.

- The same task everywhere, against the same local server, through the same client and the same network stack; the model costs nothing.
- Each contestant is a process of its own. They take turns, batch by batch, and only CPU time of the contestant's process counts.
- What is reported is a ratio within one round, and its median over the rounds: a machine that is slow for a while is slow for all.
"""
