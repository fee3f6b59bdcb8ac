"""How long a notebook may keep a worker while others wait: the slow ones come last.

A notebook that takes much longer than the others of its class is broken off and judged anew at the
end, with all the time that its limits give. So a few that sleep or never end hold up nobody.
"""

from __future__ import annotations

import statistics
from dataclasses import dataclass, field

SMALL_CLASS = 20  # notebooks; so few are judged one after the other
SHORTEST = 0.2  # seconds of a slice
FACTOR = 2.0  # of the usual time, which a slice is
SHARE = 0.3  # of the time that all others take, which those that are broken off may take
BESIDES = 2.0  # seconds that they may take besides: any run takes longer to begin


@dataclass
class Pace:
    """What the runs of one notebook of the assignment took so far.

    own: seconds that the instructor's own answers take; finished: of the submissions that came to
    their end, those without anything to run included; broken off: given to the others.
    """

    own: float
    finished: list[float] = field(default_factory=list)
    broken_off: list[float] = field(default_factory=list)

    @property
    def usual(self) -> float:
        """What a submission usually takes that has something to run."""
        ran = [seconds for seconds in self.finished if seconds > 0]
        return max(self.own, statistics.median(ran) if ran else 0.0)

    @property
    def slice(self) -> float:
        """Seconds that a notebook may take before it must let others go first."""
        return max(SHORTEST, FACTOR * self.usual)

    def again(self, times: int) -> float:
        """Return how long one may take that was broken off so many times already; 0: no more.

        Twice as long each time, for as long as there is time to spare: those that are a little
        slow come to their end before those that never do have used it up.
        """
        others = sum(self.finished) + len(self.finished) * self.usual
        wanted = self.slice * 2**times
        return wanted if wanted <= SHARE * others + BESIDES - sum(self.broken_off) else 0.0
