"""The help text, which fits one screen."""

HELP = """\
**Roundtable** lets a panel of language models argue your question in a thread.
```
roundtable Postgres or SQLite for our queue?
roundtable --vote --quick tabs or spaces?
```
`--debate` `--build` `--redteam` `--vote` choose the mode (else it is read from your words)
`--quick` three seats, one round · `--panel opus,grok` your own panel · `--panel budget` two models
`--validate` check the conclusion · `--no-search` no web search · `--context-from NAME` build on \
an earlier one
`--masked` hide who is who until the vote is over. In a vote you vote, too: in private, by button.
`roundtable stop` ends the meeting in this thread, `roundtable retry` takes up a failed one,
`roundtable post #channel` posts its conclusion elsewhere once somebody approved that,
`roundtable costs` shows what you spent and what a meeting costs now.
What you say in the thread meanwhile reaches the panel in its next round.
Reply to a panelist, begin with its name (`Analyst, why?`) or use **Ask this panelist** in the \
message menu to ask it back; mention the bot to ask everybody; `roundtable quiet` silences them.
The same works as `/roundtable start`, `stop`, `retry`, `post`, `costs`, `quiet` and `help`."""
