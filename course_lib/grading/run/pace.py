"""How long a notebook may keep a worker while others wait: the slow ones come last.

A notebook that takes much longer than the others of its class is broken off and judged anew at the
end, with all the time that its limits give. So a few that sleep or never end hold up nobody.
"""

from __future__ import annotations

import statistics
from dataclasses import dataclass, field

SMALL_CLASS = 20  # notebooks; so few are judged one after the other
SHORTEST = 0.15  # seconds of a slice
FACTOR = 2.0  # of the usual time, which a slice is
AGAIN = 4.0  # slices that one which was broken off may take, if there is time to spare
SHARE = 0.4  # of the time that all others take, which those that are broken off may take


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

    def again(self) -> float:
        """Return how long one that was broken off may take once more before others; 0: not."""
        others = sum(self.finished) + len(self.finished) * self.usual
        wanted = AGAIN * self.slice
        return wanted if wanted <= SHARE * others - sum(self.broken_off) else 0.0
