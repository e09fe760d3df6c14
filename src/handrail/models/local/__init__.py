"""Models that run here, from a GGUF file (extra `local`): small, without a key, and held to a form.

- What they cannot do well is taken off them: a reply is sampled inside the form of what is on offer, and the ring judges it as any other.
"""

from handrail.models.local.model import LocalModel, local_model

__all__ = ["LocalModel", "local_model"]
