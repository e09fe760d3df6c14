"""Pictures of dishes: drawings that are composed here, and photographs that somebody had drawn by an image API."""
