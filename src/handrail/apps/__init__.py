"""Real systems built on handrail, one folder each. They import only what a user may, so they are also the worked examples."""
