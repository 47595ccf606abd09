"""What the designers of a panel know: propositions, roles, tasks and reasons."""

from bot.rehearsal.topic import Kind

PROPOSITIONS: dict[Kind, str] = {
    Kind.PLAN: "the plan to {action} should go ahead.",
    Kind.CHOICE: "{x} should be preferred to {y}.",
    Kind.THING: "{thing} should first be built in the simplest shape that works.",
    Kind.TARGET: "the worst weaknesses of {thing} can be closed without a redesign.",
    Kind.YESNO: "the answer to {quote} is yes.",
    Kind.OPEN: "there is an answer to {quote} that can be acted on now.",
    Kind.STATEMENT: "the statement {quote} holds.",
    Kind.SUBJECT: "{quote} does more good than harm.",
}

ROLES: dict[str, tuple[tuple[str, str], ...]] = {
    "debate": (
        ("Advocate", "make the strongest honest case for it"),
        ("Devil's Advocate", "make the strongest honest case against it"),
        ("Analyst", "weigh evidence, numbers and base rates"),
        ("Contrarian", "question the frame of the question"),
    ),
    "default": (
        ("Expert", "what is known, and a clear answer"),
        ("Practitioner", "how it works out in practice and what to do first"),
        ("Researcher", "the evidence, and what is uncertain about it"),
        ("Outsider", "the question nobody in the field asks any more"),
    ),
    "build": (
        ("Architect", "parts, borders and contracts"),
        ("Reviewer", "what a strict review would send back"),
        ("Engineer", "load, failure and operation"),
        ("Implementer", "the order of work and the first slice"),
    ),
    "redteam": (
        ("Defender", "what holds today and what it would cost to break"),
        ("Attacker", "the cheapest way in"),
        ("Analyst", "likelihood and damage"),
        ("Red Teamer", "an exercise that would prove it"),
    ),
    "vote": (
        ("Strategist", "where each option leads in a few years"),
        ("Skeptic", "what would have to be true for each option to work"),
        ("User's Voice", "what the people who live with it will feel"),
        ("Pragmatist", "what each option costs to start and to keep"),
    ),
}
INTEGRATOR = ("Integrator", "join the parts into one proposal and name the gaps")
TYPES: dict[str, str] = {
    "debate": "debate",
    "build": "coding",
    "redteam": "analysis",
    "vote": "decision",
}
PARALLEL, SEQUENTIAL, HYBRID = "parallel_debate", "sequential", "hybrid"
WORKFLOWS: dict[str, tuple[str, ...]] = {
    "debate": (PARALLEL,) * 6 + (HYBRID,),
    "build": (PARALLEL, PARALLEL, PARALLEL, HYBRID, HYBRID, SEQUENTIAL),
    "redteam": (PARALLEL,) * 5 + (SEQUENTIAL,),
    "vote": (PARALLEL,),
}
NEEDS = (
    "independent views before anybody is influenced",
    "the strongest objections, early",
    "a comparison that can be checked later",
    "a decision that its losers can accept",
)
ROUNDS = {
    1: "the seats are expected to say all they have at once",
    2: "one blind round, then one in which they answer each other",
    3: "positions may move twice before they settle",
}
REASONS = (
    (
        "Four different angles cover {thing} without two seats saying the same. "
        "Blind first answers keep them honest."
    ),
    (
        "The matter turns on judgement more than on knowledge, so contrast is worth more than "
        "depth. A second look at each other's claims shows which of them hold."
    ),
    "Each seat gets a task that no other seat has. The writer of the conclusion stays outside.",
)
ANTI_PATTERNS = (
    "A chain of seats would let the first answer set the frame for all later ones.",
    "More rounds would produce politeness instead of information.",
    "Several seats with the same brief would agree and call it evidence.",
)
