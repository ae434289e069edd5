"""The verdict and the plan as lines: muted while a guess could turn it, plain when settled."""

from __future__ import annotations

from collections.abc import Iterator

from advisor.conversation import events as happened
from advisor.conversation.outlook import Effect
from advisor.conversation.sentences import Sentences
from advisor.conversation.writing import shown
from advisor.report.phrases import wrap
from advisor.report.style import SIGNS, label, limit_text
from advisor.units import quantity_text
from advisor.verdict import AnswerResult, Verdict, fill

_SHOWN_NAMES = 5
_ALIKE = 1.005  # ends of a range that print alike


class VerdictLines(Sentences):
    """Renders verdicts and plans."""

    # -- the verdict ------------------------------------------------------------------------------

    def verdict(self, event: happened.VerdictShown) -> Iterator[str]:
        verdict = event.check.verdict
        if verdict is None:
            return
        headline = next((one for one in verdict.answers.values() if one.answer.limit), None)
        if headline is not None:
            yield ""
            yield from self.headline(event, verdict, headline)
        for answer in verdict.answers.values():
            if answer is not headline and answer.likely is not None:
                name = label(answer.answer, self.style)
                yield self.say("time_line", label=name, amount=self.amount(verdict, answer))
        for key, level in (("refused_by", "deny"), ("warned_by", "warn"), ("told_by", "info")):
            if level != "deny" and not event.is_final:
                continue
            for outcome in verdict.failing(level):  # type: ignore[arg-type]
                text = fill(outcome.policy.message, verdict.trace, self.language)
                if headline is None or level != "deny" or outcome.policy.fix != "ladder":
                    yield from wrap(self.say(key, text=text), self.columns, "  ")
        yield from self.crash_verdict(event, verdict)

    def headline(
        self, event: happened.VerdictShown, verdict: Verdict, first: AnswerResult
    ) -> Iterator[str]:
        unit = verdict.trace.book.unit(first.answer.value)

        def shown(amount: float | None) -> str:
            return quantity_text(amount, unit) if amount is not None else "?"

        values: dict[str, object] = {
            "amount": shown(first.likely),
            "high": shown(first.high),
            "limit": shown(first.limit),
        }
        look = event.outlook
        if look.is_settled or first.likely is None:
            yield from self.texts(f"settled_{first.state}", **values)
            names = [
                name
                for name, one in look.effects.items()
                if name not in event.answers and one.size > 0
            ]
            if look.is_settled and names and event.is_final:
                tried = [self.tried(look.effects[name]) for name in names[:_SHOWN_NAMES]]
                yield from self.texts("whatever", names=self.style.names(tried))
            return
        values["state"] = self.style.word(first.state)
        guesses = [name for name, one in event.answers.items() if not one.is_known]
        values["names"] = self.titles(look.turners[:_SHOWN_NAMES])
        ends = (look.low or 0.0, look.high or 0.0)
        if look.turners and ends[1] <= _ALIKE * ends[0]:
            yield from self.texts("muted_depends", **values)
        elif look.turners:
            span = {"low": shown(look.low), "high": shown(look.high)}
            yield from self.texts("muted_range", **{**values, **span})
        else:
            yield from self.texts("muted", **values)
        if guesses:
            yield from self.texts("muted_guess", names=self.titles(guesses[:_SHOWN_NAMES]))

    def tried(self, effect: Effect) -> str:
        """An input with what was tried of it: no more is claimed."""
        target, name = self.book.inputs[effect.name], self.title(effect.name)
        values = [trial.value for trial in effect.trials]
        numbers = [value for value in values if isinstance(value, float)]
        if numbers and len(numbers) == len(values):
            low, high = shown(target, min(numbers)), shown(target, max(numbers))
            return self.say("whatever_between", name=name, low=low, high=high)
        if target.choices and len(values) < len(target.choices):
            count, every = len(values), len(target.choices)
            return self.say("whatever_among", name=name, count=count, all=every)
        return name

    def amount(self, verdict: Verdict, one: AnswerResult) -> str:
        """An answer with its range and limit."""
        unit = verdict.trace.book.unit(one.answer.value)
        first = next((each for each in verdict.answers.values() if each.answer.limit), None)
        if one.likely is None or one.low is None or one.high is None:
            return self.style.word("undecided")
        text = quantity_text(one.likely, unit)
        if one.low != one.high:
            low, high = quantity_text(one.low, unit), quantity_text(one.high, unit)
            text += self.say("range", low=low, high=high)
        if one.limit is not None:
            text += self.say("and_limit", limit=quantity_text(one.limit, unit))
            text += f" {SIGNS[one.state]} {limit_text(one, one is first, self.style)}"
        return text

    def crash_verdict(self, event: happened.VerdictShown, verdict: Verdict) -> Iterator[str]:
        if event.crash is None or not event.is_final:
            return
        doubtful = self.doubtful(event)
        if verdict.state not in ("does not fit", "tight"):
            yield from self.texts("crash_disagrees")
        elif event.crash.lasted and verdict.state == "does not fit":
            yield from self.texts("crash_lasted")
            if doubtful:
                yield from self.texts("crash_assumed", names=self.titles(doubtful))
        elif doubtful and not event.outlook.is_settled:
            yield from self.texts("crash_agrees_if", names=self.titles(doubtful))
        else:
            yield from self.texts("crash_agrees")

    def doubtful(self, event: happened.VerdictShown) -> list[str]:
        """What a verdict rests on that nobody vouched for, what turns it first."""
        look = event.outlook
        guesses = [name for name, one in event.answers.items() if not one.is_known]
        found = list(dict.fromkeys([*look.turners, *guesses]))
        if not (found or look.is_settled):
            found = [n for n, one in look.effects.items() if one.size and n not in event.answers]
        return found[:_SHOWN_NAMES]

    def plan(self, event: happened.PlanShown) -> Iterator[str]:
        from advisor.report.plan_text import plan_lines

        yield from plan_lines(event.plan, event.verdict, list(self.trainers()), self.style)
        if event.plan.rungs:
            yield from self.texts("plan_take")
