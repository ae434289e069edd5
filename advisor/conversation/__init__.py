"""The questions and answers: a state and a line give the next state and events, nothing else.

``Conversation.send(state, text)`` never raises; a ``State`` is a log of answers, so going back is
looking at an earlier one, and its scenario YAML is the session. Faces render events with ``Lines``.
"""

from advisor.conversation.commands import Command, Turn, registry
from advisor.conversation.completion import Completion
from advisor.conversation.core import Conversation, View
from advisor.conversation.lines import Lines
from advisor.conversation.questions import Choice, Question
from advisor.conversation.sentences import message
from advisor.conversation.state import Answer, Entry, State

__all__ = [
    "Answer",
    "Choice",
    "Command",
    "Completion",
    "Conversation",
    "Entry",
    "Lines",
    "Question",
    "State",
    "Turn",
    "View",
    "message",
    "registry",
]
