"""What does ``evenhand --help`` say? A page that is there before anything is imported.

Importing click alone takes longer than the page may take. So the commands and the root's options
stand here as plain data, the page is laid out from them, and click's root group shows this very
page too. Tests hold the data against the commands and the options.
"""

USAGE = "evenhand [OPTIONS] COMMAND [ARGS]..."
SUMMARY = "Say whether a retrieval change helped, and whether two results may be compared at all."

#: What may stand before the command, and what it does.
OPTIONS = {
    "--project DIR": "Look for the project from this folder upward.",
    "--database-url URL": "Use this database.",
    "--traceback": "Show where an error arose; never its message.",
    "--version": "Show the version and exit.",
    "-h, --help": "Show this message and exit.",
}

#: Heading → command → (``module:attribute``, the first line of the command's own help).
COMMANDS = {
    "Evaluate": {
        "init": (
            "evenhand.cli.init:init",
            "Write a configuration and an example that runs at once.",
        ),
        "demo": (
            "evenhand.cli.demo:demo",
            "Evaluate three retrieval pipelines over real text.",
        ),
        "ab": (
            "evenhand.cli.ab:ab",
            "Run two retrievers over one corpus; say which does better.",
        ),
        "run": (
            "evenhand.cli.run:run",
            "Evaluate a retriever on a golden set, store it, compare it.",
        ),
        "compare": (
            "evenhand.cli.compare:compare",
            "Compare two results: may they be compared, which is better?",
        ),
        "gate": (
            "evenhand.cli.gate:gate",
            "Hold a retriever against its baseline; say pass or fail.",
        ),
        "score": (
            "evenhand.cli.score:score",
            "Score runs against judgements, as trec_eval does.",
        ),
        "ui": (
            "evenhand.cli.ui:ui",
            "Look at sets, evaluations and comparisons in a browser.",
        ),
    },
    "Sets and stored evaluations": {
        "sets": (
            "evenhand.cli.sets:sets",
            "List, show, lint, import, export and delete golden sets.",
        ),
        "evaluations": (
            "evenhand.cli.evaluations:evaluations",
            "List, show, re-score, move, publish and purge evaluations.",
        ),
        "baseline": (
            "evenhand.cli.baseline:baseline",
            "Set, show and export the results to compare with.",
        ),
    },
    "Reviews": {
        "reviews": (
            "evenhand.cli.reviews:reviews",
            "Judge answers; show reviews and count them, stratum by stratum.",
        ),
    },
    "Identities and checks": {
        "corpus": (
            "evenhand.cli.corpus:corpus",
            "Digest a corpus; say what changed between two.",
        ),
        "vectors": (
            "evenhand.cli.vectors:vectors",
            "Run worked vectors against the installed package.",
        ),
    },
    "Events": {
        "events": (
            "evenhand.cli.events:events",
            "Ingest, export, query, deliver, verify and delete events.",
        ),
        "contract": (
            "evenhand.cli.contract:contract",
            "Show, lint and compare contracts of events.",
        ),
    },
    "Hub": {
        "serve": (
            "evenhand.cli.serve:serve",
            "Serve stored evaluations over HTTP.",
        ),
        "consume": (
            "evenhand.cli.consume:consume",
            "Carry out comparisons that a hub assigned.",
        ),
        "admin": (
            "evenhand.cli.admin:admin",
            "Keep tokens, registry, suites and requests; show what was changed.",
        ),
    },
    "Database": {
        "db": (
            "evenhand.cli.db:db",
            "Upgrade, check, back up and restore the database.",
        ),
    },
}


def help_page() -> str:
    """The page, at most 80 columns wide, without a line feed at its end."""
    sections = {"Options": OPTIONS} | {
        heading: {name: says for name, (_, says) in commands.items()}
        for heading, commands in COMMANDS.items()
    }
    lines = [f"Usage: {USAGE}", "", *_folded(SUMMARY)]
    for heading, rows in sections.items():
        width = max(map(len, rows))
        lines += ["", f"{heading}:", *(f"  {name:<{width}}  {rows[name]}" for name in rows)]
    return "\n".join(lines)


def _folded(text: str, width: int = 78) -> list[str]:
    lines = [""]
    for word in text.split():
        if len(lines[-1]) + 1 + len(word) > width:
            lines.append("")
        lines[-1] += f" {word}" if lines[-1] else f"  {word}"
    return lines
