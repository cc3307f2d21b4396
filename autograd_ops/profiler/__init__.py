"""Where the time and the memory of a program go, op by op: ``with profile() as p: ...``, ``print(p.table())``."""

from .profile import ProfilerActivity, ProfilerError, profile, record_function

__all__ = ["ProfilerActivity", "ProfilerError", "profile", "record_function"]
