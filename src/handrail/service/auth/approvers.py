"""Who may decide an approval: whoever's run it is, named people, or both; where nobody is named, nobody (case 61).

- Who decides is who the request comes from, never what a body says.
- Whoever may not is refused in private, and the approval stays open.
"""

from handrail.errors import InputError
from handrail.service.auth.callers import Caller, check_user_id
from handrail.service.problems import Problem

OWNER = "owner"


class Approvers:
    """The list, from its setting: `owner`, users' names, or both, with commas between."""

    def __init__(self, listed: str) -> None:
        """Read it.

        Raises:
            InputError: a name cannot be a user's.
        """
        names = [name.strip() for name in listed.split(",") if name.strip()]
        try:
            self.named = frozenset(check_user_id(name) for name in names if name != OWNER)
        except InputError as error:
            raise InputError(f"HANDRAIL_APPROVERS: {error}") from None
        self._owner = OWNER in names

    def check(self, caller: Caller, owner: str) -> None:
        """Let an approver through.

        Raises:
            Problem: it is none.
        """
        if not (self._owner and caller.user_id == owner):
            self.check_named(caller)

    def check_named(self, caller: Caller) -> None:
        """Let those through who are named.

        Raises:
            Problem: the caller is not.
        """
        if caller.user_id not in self.named:
            raise Problem(403, "no_approver", "You are not one of those who decide this. It stays open for them.")
