"""The rules held against measured and traced runs."""
