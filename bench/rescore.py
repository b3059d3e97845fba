"""Score again from judged hits: ``rescore.py HITS MEASURE...``.

``rescore.py HITS --from QRELS RUN`` writes them first.
"""

import sys
from pathlib import Path

from evenhand.adapters.scoring.hits_file import read_hits, write_hits


def main(hits: Path, *rest: str) -> None:
    """Values as the command prints them, from a file of judged hits."""
    if rest[0] == "--from":
        from evenhand.adapters.scoring.inputs import score_inputs

        write_hits(hits, *score_inputs(*rest[1:]))
        return
    from evenhand.core.identity.canonical import readable_json
    from evenhand.core.scoring.measure_names import parse_measures
    from evenhand.reports.scores import score_document
    from evenhand.usecases.scoring import score_hits

    projection, _ = read_hits(hits)
    scored = score_hits(hits.name, projection, parse_measures(rest))
    sys.stdout.write(readable_json(score_document([scored], per_query=True)))


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
