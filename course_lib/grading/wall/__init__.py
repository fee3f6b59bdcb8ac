"""The wall: what stands between a student's code and this machine.

A server is started by `outer_command` (in namespaces of its own where that can be had), imports
what its jobs need, and forks a child a job; the child calls `confine` before it touches anything
of a student's. `best_tier` says beforehand what this machine can do.
"""

from .confinement import choose_uid, confine, prepare
from .environment import ONE_THREAD
from .interpreter import interpreter_files
from .outer import outer_command
from .policy import Policy, WallError
from .privileges import die_with_parent
from .tiers import Tier, best_tier

__all__ = [
    "ONE_THREAD",
    "Policy",
    "Tier",
    "WallError",
    "best_tier",
    "choose_uid",
    "confine",
    "die_with_parent",
    "interpreter_files",
    "outer_command",
    "prepare",
]
