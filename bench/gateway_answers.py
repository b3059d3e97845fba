"""Does each gateway of the benchmark give the upstream's vectors, and how long is that answer?"""

import json
import sys

from bench.gateway_servers import Gateway


class Sizes:
    """How long the right answers of each gateway are.

    Args:
        direct: the upstream itself, whose vectors are right.
    """

    def __init__(self, direct: Gateway) -> None:
        self._direct = direct
        self._found: dict[tuple[str, str], int] = {}

    def of(self, gateway: Gateway, value: object, *, is_slow: bool) -> int:
        """Bytes of a gateway's answer to an input, of which the vectors were compared."""
        key = (gateway.slow_url if is_slow else gateway.url, json.dumps(value) + str(is_slow))
        if key not in self._found:
            answers = [gateway.answer(value, is_slow=is_slow) for _ in range(2)]
            right = _vectors(self._direct.answer(value))
            if any(_vectors(answer) != right for answer in answers):
                print(gateway.url, file=sys.stderr)
                raise SystemExit("a gateway's vectors are not the upstream's")
            if len(set(map(len, answers))) > 1:
                print(gateway.url, file=sys.stderr)
                raise SystemExit("a gateway's answers to one input differ in length")
            self._found[key] = len(answers[0])
        return self._found[key]


def _vectors(answer: bytes) -> list[object]:
    items = sorted(json.loads(answer)["data"], key=lambda item: item["index"])
    return [item["embedding"] for item in items]
