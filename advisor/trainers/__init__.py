"""Trainers' own files: what a key means is data in ``rules/trainers/``."""
