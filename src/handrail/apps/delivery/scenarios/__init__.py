"""What the rule-based stand-in does in the shop: it looks for a few words, names of dishes and numbers, and understands no language.

Rules: it finds everything out by the tools, as a model would; it takes a no as it is; whatever it says is short enough to be spoken.
"""

from collections.abc import Sequence

from handrail.apps.delivery.scenarios.shopping import Shopping
from handrail.models.rehearsal import Scenario


def scenarios() -> Sequence[Scenario]:
    """The scenarios of this app."""
    return (Shopping(),)
