"""A stand-in, as cupy is."""
