import json

import pytest

from evenhand.wire.openai_errors import encode_error


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, "invalid_request_error"),
        (401, "authentication_error"),
        (403, "permission_error"),
        (404, "invalid_request_error"),
        (429, "rate_limit_error"),
        (502, "server_error"),
        (503, "server_error"),
    ],
)
def test_a_refusal_has_the_form_of_openais(status: int, kind: str) -> None:
    body = encode_error("why", status=status, code="a_code", param="input")

    assert json.loads(body) == {
        "error": {"message": "why", "type": kind, "param": "input", "code": "a_code"}
    }
