"""The same screen in a browser: a page on this machine, and one process of the program a visitor.

``server`` listens, ``gate`` says who may ask, ``page`` is what is served, ``packets`` what a page
may send; ``session`` runs a process, and ``driver`` and ``files`` are what that process does
otherwise than on a terminal. Only this package knows aiohttp and textual-serve.
"""
