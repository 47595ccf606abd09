"""Grounding: one web search per roundtable, before anybody speaks.

What an admin must know
- `search.provider` in panels.json chooses the service. "auto" takes the first that .env gives
  access to, in the order TAVILY_API_KEY, BRAVE_API_KEY, EXA_API_KEY, SERPER_API_KEY, SEARXNG_URL,
  and without any of them Tavily's free access, which is limited. "off" never searches.
- The topic of a roundtable, on one line and cut to 400 characters, is sent to that service:
  nothing else, no names, no ids, nothing from other threads. `--no-search` spares one roundtable,
  "off" all of them; SEARXNG_URL keeps the query with your own server.
- SearXNG must have `json` among `search.formats` in its settings.yml; public servers do not.
  SEARXNG_URL may hold a name and a password.
- A named service without its key is not replaced by another one: every search then fails with a
  sentence that says which variable is missing.
- Only titles and snippets are used. No page is ever fetched and no redirect followed, so a result
  cannot make the bot call an address.
- A search that fails or takes longer than `timeouts.search` never stops a roundtable: panelists are
  told that there is no real-time data, and the note in the findings says why.
- The same topic within 15 minutes is not searched again.
"""
