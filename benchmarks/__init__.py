"""Training steps of this library and of others, run in turn on one machine. See README.md beside this file."""
