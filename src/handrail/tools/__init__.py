"""Tools: functions that a model may ask for, declared from their hints, with its arguments never trusted."""

from handrail.tools.absent import ABSENT, Absent
from handrail.tools.context import ToolContext
from handrail.tools.encoding import shown
from handrail.tools.results import Failed, Lost, Ran, Result, Returned
from handrail.tools.tool import Tool, tool

__all__ = ["ABSENT", "Absent", "Failed", "Lost", "Ran", "Result", "Returned", "Tool", "ToolContext", "shown", "tool"]
