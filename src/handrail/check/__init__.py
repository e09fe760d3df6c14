"""Checking a ring before a model does: the walk over all behaviours, the order drawn, and a journal judged again.

Pure: nothing here reads a clock, a file or the network, and no tool is run.
"""

from handrail.check.explore import explore
from handrail.check.graph import drawn
from handrail.check.invariants import invariant
from handrail.check.replay import Replay, replayed
from handrail.check.report import Counterexample, Fault, Report

__all__ = ["Counterexample", "Fault", "Replay", "Report", "drawn", "explore", "invariant", "replayed"]
