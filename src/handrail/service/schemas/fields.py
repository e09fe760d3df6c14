"""The kinds of text that a client may send. What a pattern says is all that there is to fit: whatever matches is taken.

A message may be any text that is not blank, in anybody's sense of blank; an id has to fit into a path.
"""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from handrail.service.auth.callers import USER_ID
from handrail.service.desk import LONGEST_COMMENT, LONGEST_ID, LONGEST_MESSAGE

SESSION_ID = "^[A-Za-z0-9_~:@+=-][A-Za-z0-9._~:@+=-]{0,199}$"
KEY = "^[!-~]{1,200}$"
NOT_BLANK = r"[^\s\u001c-\u001f\u0085\ufeff]"
NAME = "^[A-Za-z0-9_-]{1,64}$"

SessionId = Annotated[
    str,
    Field(
        pattern=SESSION_ID,
        max_length=LONGEST_ID,
        description="The client's own name of the conversation: a UUID, or a token that is safe in a path.",
    ),
]
UserId = Annotated[str, Field(pattern=USER_ID, max_length=128, description="Whose it is.")]
MessageText = Annotated[str, Field(min_length=1, max_length=LONGEST_MESSAGE, pattern=NOT_BLANK, description="What the user says.")]
Comment = Annotated[str, Field(max_length=LONGEST_COMMENT, description="Why; the model is told.")]


class Asking(BaseModel):
    """A body that a client sends: what is not known is refused, so that nobody believes it was heeded (cases 68 and 69)."""

    model_config = ConfigDict(extra="forbid")
