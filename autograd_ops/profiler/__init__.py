"""Where the time and the memory of a program go, op by op: ``with profile() as p: ...``, ``print(p.table())``."""

from .profile import ProfilerError, profile, record_function

__all__ = ["ProfilerError", "profile", "record_function"]
