"""What every foreign loop needs: one run's core, which its host asks before it runs anything.

Here are explicit, sorted re-exports and nothing else. It needs no extra; each host's package beside it does.
"""

from handrail.adapters.foreign.gate import ENDED, Gate, OnEvent, now

__all__ = ["ENDED", "Gate", "OnEvent", "now"]
