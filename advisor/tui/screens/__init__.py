"""The screens: the talk, and the chart over it."""
