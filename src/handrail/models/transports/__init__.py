"""How bytes get to a provider and back: a port, and its members.

- Bytes out, bytes in: no typed objects on the way, which cost more than everything else in a call (docs/explain).
- Retries (two, and nobody else's on top, case 34) and the network's time-outs are a member's own, and the same in each.
- A redirect is not followed: what was said, and the key, would go where nobody has sent them.
- `official`, the default, is here. `aiohttp` needs the extra of that name, and is imported only by who asks for it.
"""

from handrail.models.transports.official import OfficialTransport
from handrail.models.transports.port import Response, Transport

__all__ = ["OfficialTransport", "Response", "Transport"]
