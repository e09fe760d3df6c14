"""The peers that handrail is measured beside, each in an environment of its own, made when it is needed.

- Nothing of a peer is ever installed into handrail's own environment, and no peer sees another.
- What is installed is pinned, with hashes, in `requirements/NAME.lock`; versions of what all have in common are handrail's own.
"""
