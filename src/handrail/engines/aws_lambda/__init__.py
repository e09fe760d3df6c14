"""AWS Lambda: an engine without a process that waits, and the two functions that Lambda calls (extra `lambda`)."""

from handrail.engines.aws_lambda.handlers import api_handler, prepare, runner_handler

__all__ = ["api_handler", "runner_handler"]

prepare()
