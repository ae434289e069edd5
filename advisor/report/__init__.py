"""Results as text and documents: one small file a format, all over the same data."""
