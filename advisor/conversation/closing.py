"""What to say when nothing more is asked: no more than was tried."""

from advisor.conversation.events import Event, Failed, Said
from advisor.conversation.outlook import Outlook
from advisor.conversation.state import State
from advisor.verdict import Verdict

_SHOWN = 6


def closing(state: State, look: Outlook) -> Event:
    """What is left to say about what nobody answered."""
    turning = open_turners(state, look)
    if turning:
        return Said("open_turns", names=tuple(turning[:_SHOWN]))
    wanted = [name for name in look.wanted if name not in state.answers]
    if wanted and not state.refine:
        return Said("more_for_numbers", names=tuple(wanted))
    moving = [name for name, one in look.effects.items() if one.moves and name not in state.answers]
    if moving and not state.refine and look.is_firm:
        key = "more_to_refine" if len(moving) > 1 else "more_to_refine_one"
        return Said(key, {"count": str(len(moving))}, tuple(moving[:_SHOWN]))
    return Said("nothing_open" if look.is_firm else "nothing_turns")


def lacking(state: State, verdict: Verdict) -> Event:
    """What a description leaves out that the verdict needs: facts, for which nobody is asked."""
    missing = {name for one in verdict.undecided("deny") for name in one.missing}
    missing |= {name for one in verdict.answers.values() if one.limit for name in one.missing}
    facts = sorted(name for name in missing if name not in state.answers)
    return Failed("description_lacks", {"names": tuple(facts[:_SHOWN])})


def open_turners(state: State, look: Outlook) -> list[str]:
    """What nobody was asked though it could turn the verdict: there are only so many questions."""
    if look.open_together:
        return [n for n, one in look.effects.items() if one.size and n not in state.answers]
    return [name for name in look.turners if name not in state.answers]
