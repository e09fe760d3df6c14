"""Mattermost: a slash command asks an agent, its answer is posted to the channel, and approvals are buttons.

- What Mattermost says is believed only with its command's token, what a button says only with the button's own.
- Nothing is fetched from where a request says: the address of an answer is made from the configured site.
- A command is one message to one run; nothing is remembered for the next one.
- `docs/howto/mattermost.md` says how it is set up.
"""

from handrail.service.surfaces.mattermost.surface import Mattermost

__all__ = ["Mattermost"]
