"""Where a command listens."""

import pytest

from handrail.cli.listening import listening
from handrail.errors import InputError


def test_a_free_port_is_known_at_once_and_a_taken_one_is_told() -> None:
    with listening("127.0.0.1", 0) as first:
        port = first.getsockname()[1]
        assert port > 0
        with pytest.raises(InputError, match=f"cannot listen on 127.0.0.1 port {port} .*: take another with --port, or 0 for a free one"):
            listening("127.0.0.1", port)
