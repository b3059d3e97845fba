"""What a chat endpoint answers, for tests."""

import json
from typing import Any, Final

from tests.upstream_server import Scripted

#: A candidate as a model gives it.
GOOD: Final[dict[str, Any]] = {
    "presence": "present",
    "assessment": "good",
    "severity": None,
    "summary": "Every claim stands in the first passage.",
    "rationale": None,
    "evidence": ["passages/0001.txt"],
}
USAGE: Final = {
    "prompt_tokens": 100,
    "completion_tokens": 30,
    "prompt_tokens_details": {"cached_tokens": 20},
}


def chat_answer(content: Any, *, finish_reason: str = "stop", **message: Any) -> Scripted:
    """An answer with this content; an object without `observations` is one candidate."""
    if content is GOOD:
        content = {"observations": [content]}
    text = json.dumps(content) if isinstance(content, dict) else content
    choice = {
        "index": 0,
        "finish_reason": finish_reason,
        "message": {"role": "assistant", "content": text, **message},
    }
    return unanswered(choices=[choice])


def unanswered(**members: Any) -> Scripted:
    """An answer with these members and a usage."""
    return Scripted(
        body=json.dumps({"object": "chat.completion", "usage": USAGE, **members}).encode()
    )
