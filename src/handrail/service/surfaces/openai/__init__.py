"""Agents for everything that speaks OpenAI's chat completions: `/v1/models` and `/v1/chat/completions`.

- An app is a model. A request is one message to it, and the answer is that of the job which the desk makes of it.
- What a client sends as the conversation only says which one is meant: the server's history is the only truth (case 69).
- Nothing but a person's decision under `/agent/approvals` is a yes, whatever is in the messages.
"""
