"""The help, which fits one screen."""

from typing import Final

HELP: Final = """\
**Roundtable** lets a panel of language models debate your question in a thread.
```
roundtable Postgres or SQLite for our queue?
roundtable --vote --quick tabs or spaces?
```
`--debate` `--build` `--redteam` `--vote` choose the mode (default: detected from your words)
`--quick` three seats, one round · `--rounds 3` at most 3 rounds · `--panel opus,grok` your own \
panel · `--panel budget` two models
`--validate` check the conclusion · `--no-search` no web search · `--context-from NAME` build on \
an earlier one · `--link URL` post the conclusion on an issue after approval
`--masked` hide who is who until the vote is over. You can vote too, in private, with buttons.
**In its thread**, or with an id: `roundtable stop` ends it, `retry` continues a failed one, \
`status` shows its progress, `show` its conclusion, `read` its minutes, `export` its files, \
`post #channel` posts its conclusion elsewhere once approved; `end` ends an agent discussion.
`roundtable list` the newest · `roundtable costs` what you spent and what a meeting costs \
now · `roundtable forget` removes what you wrote
What you write in the thread during the meeting reaches the panel in its next round.
Reply to a panelist or begin with its name (`Analyst, why?`) to ask it, mention the bot to \
ask everybody; `roundtable quiet` silences them.
Message menu: **Ask this panelist**, **Who said this?**, **Roundtable on this**.
All commands also work as `/roundtable …`; `/roundtable start` without options opens a form."""

_CANNOT_READ_MESSAGES: Final = (
    "⚠️ I cannot read messages here, so use `/roundtable`, or mention me before the commands "
    "below; replies to panelists do not work. An admin can enable the Message Content intent.\n"
)


def help_text(*, reads_messages: bool) -> str:
    """The help as it is true for this bot."""
    return HELP if reads_messages else _CANNOT_READ_MESSAGES + HELP
