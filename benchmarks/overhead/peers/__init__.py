"""The peers, each as its documentation has it. One file a peer, so that those who use it can check that it is called fairly.

- Chat completions, async functions as tools, and the official client where a peer takes one; made once, as their documentation has it.
- What would leave the machine is off (tracing, telemetry), which also makes them cheaper; limits of turns are out of the way.
- Each runs in its own environment (`benchmarks/peers`). Nothing of handrail is imported there.
"""
