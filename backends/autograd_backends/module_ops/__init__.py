"""The default of every module op, in standard array API calls.

A module is a family of ops; the private functions beside an op are its own. They take and give arrays of any
backend. `base.Backend` lists them, and imports a family when one of its ops is first used.
"""
