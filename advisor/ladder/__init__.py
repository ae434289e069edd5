"""What to change when a requirement does not hold: climb the ladder, then drop what is not needed.

Climb goes up the book's ladder and evaluates each rung; prune removes rungs the plan can do
without, those that cost quality first. Both only use the rules' words: a goal is a failing policy
that says ``fix: ladder``, and a gain is how far its left side falls against its right. Goals that
deny come first; once they hold the climb goes on for those that warn, with rungs that cost no
quality, so that a plan ends where nothing is tight, if that can be had for nothing.
"""

from advisor.ladder.attempt import LEAST_GAIN
from advisor.ladder.climb import MAX_RUNGS, first_rung, plan
from advisor.ladder.model import Plan, Range, Rung, Skipped, SkipReason, Standing

__all__ = [
    "LEAST_GAIN",
    "MAX_RUNGS",
    "Plan",
    "Range",
    "Rung",
    "SkipReason",
    "Skipped",
    "Standing",
    "first_rung",
    "plan",
]
