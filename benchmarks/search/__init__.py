"""Whether the storefront's search finds what people ask for: forty questions, by words alone and by meaning too."""
