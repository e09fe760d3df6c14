"""What the service tells of its runs: traces and metrics for OpenTelemetry, numbers for Prometheus. All of it is read off the events."""
