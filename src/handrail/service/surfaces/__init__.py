"""Other ways in: each speaks a protocol of somebody else's, and has the desk do what is asked."""
