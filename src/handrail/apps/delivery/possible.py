"""What cannot be done as it is asked, and why: one exception for the whole service layer."""


class NotPossible(Exception):
    """Nothing was changed; the text says why and what to do.

    Args:
        code: one word for programs.
        detail: one sentence for people and for the model.
    """

    def __init__(self, code: str, detail: str) -> None:
        """Keep the code beside the words."""
        super().__init__(detail)
        self.code = code
        self.detail = detail
