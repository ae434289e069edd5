"""Rules as data: the expression language, the loaded book, its layers and its checks.

Nothing in here knows what the rules are about; domain words live in ``rules/``.
"""
