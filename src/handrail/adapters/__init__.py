"""Other loops than ours, with the same tools and the same ring: one package a host."""
