"""Models: providers that speak chat completions, and in what they differ."""

from handrail.models.openai_chat import OpenAIChat
from handrail.models.traits import MISTRAL, OPENAI, REASONING, EmptyContent, IdForm, ProviderTraits

__all__ = ["MISTRAL", "OPENAI", "REASONING", "EmptyContent", "IdForm", "OpenAIChat", "ProviderTraits"]
