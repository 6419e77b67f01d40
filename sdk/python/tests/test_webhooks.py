from __future__ import annotations

import base64
import hashlib
import hmac
import json
import time

import pytest

from latchkey import WebhookError, verify_webhook

SECRET = "whsec_" + base64.b64encode(bytes(range(32))).decode()
NEW_SECRET = "whsec_" + base64.b64encode(bytes(range(32, 64))).decode()
BODY = json.dumps(
    {
        "id": "e1",
        "position": 7,
        "type": "member.joined",
        "timestamp": "2026-03-01T09:30:00.000Z",
        "data": {"name": "Zoë"},
    },
    ensure_ascii=False,
).encode()


def sign(secret: str, body: bytes = BODY, *, message_id: str = "e1", timestamp: object = None) -> dict[str, str]:
    timestamp = int(time.time()) if timestamp is None else timestamp
    key = base64.b64decode(secret[len("whsec_") :])
    digest = hmac.new(key, f"{message_id}.{timestamp}.".encode() + body, hashlib.sha256).digest()
    return {
        "Webhook-Id": message_id,
        "Webhook-Timestamp": str(timestamp),
        "Webhook-Signature": f"v1,{base64.b64encode(digest).decode()}",
    }


def expect_error(code: str, headers: dict[str, str], body: bytes = BODY, secret: str | list[str] = SECRET) -> None:
    with pytest.raises(WebhookError) as caught:
        verify_webhook(secret, headers, body)
    assert (caught.value.code, caught.value.status) == (code, 400)


def test_a_signed_message_becomes_an_event() -> None:
    event = verify_webhook(SECRET, sign(SECRET), BODY)
    assert (event.id, event.type, event.position, event.data) == ("e1", "member.joined", 7, {"name": "Zoë"})
    assert verify_webhook(SECRET, sign(SECRET), BODY.decode()) == event


def test_the_signature_is_that_of_standard_webhooks() -> None:
    # The example of the specification, with its published secret.
    secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    body = b'{"test": 2432232314}'
    headers = sign(secret, body, message_id="msg_p5jXN8AQM9LWM0D4loKWxJek", timestamp=1614265330)
    assert headers["Webhook-Signature"] == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


def test_each_side_may_know_the_old_and_the_new_secret() -> None:
    old, new = sign(SECRET), sign(NEW_SECRET)
    both = {**old, "Webhook-Signature": f"{new['Webhook-Signature']} {old['Webhook-Signature']}"}
    assert verify_webhook(SECRET, both, BODY).id == "e1"
    assert verify_webhook(NEW_SECRET, both, BODY).id == "e1"
    assert verify_webhook([SECRET, NEW_SECRET], new, BODY).id == "e1"
    expect_error("invalid_signature", new)


def test_a_changed_message_is_refused() -> None:
    headers = sign(SECRET)
    expect_error("invalid_signature", headers, BODY + b" ")
    expect_error("invalid_signature", {**headers, "Webhook-Id": "e2"})
    expect_error("invalid_signature", {**headers, "Webhook-Timestamp": str(int(time.time()) - 1)})


@pytest.mark.parametrize("offset", [-301, 302])
def test_a_message_more_than_five_minutes_away_is_refused(offset: int) -> None:
    expect_error("invalid_timestamp", sign(SECRET, timestamp=int(time.time()) + offset))
    assert verify_webhook(SECRET, sign(SECRET, timestamp=int(time.time()) + offset // 2), BODY).id == "e1"


@pytest.mark.parametrize("timestamp", ["nan", "-1", "1e9", "٣", "9" * 400, " 1"])
def test_a_timestamp_that_is_not_a_number_is_refused(timestamp: str) -> None:
    expect_error("invalid_timestamp", sign(SECRET, timestamp=timestamp))


@pytest.mark.parametrize("signature", ["v1,", "v1", ",", "v1,%%%", "v1a,AAAA", "v2,{}", "{}", "v1,é"])
def test_another_form_of_signature_is_refused(signature: str) -> None:
    headers = sign(SECRET)
    right = headers["Webhook-Signature"][len("v1,") :]
    expect_error("invalid_signature", {**headers, "Webhook-Signature": signature.replace("{}", right)})


@pytest.mark.parametrize("name", ["Webhook-Id", "Webhook-Timestamp", "Webhook-Signature"])
def test_a_missing_header_is_named(name: str) -> None:
    headers = sign(SECRET)
    expect_error("missing_header", {key: value for key, value in headers.items() if key != name})
    expect_error("missing_header", {**headers, name: ""})


@pytest.mark.parametrize("body", [b"", b"[]", b"{}", b"null", b"\xff"])
def test_a_signed_body_that_is_not_an_event_is_refused(body: bytes) -> None:
    expect_error("invalid_body", sign(SECRET, body), body)


@pytest.mark.parametrize("secret", ["", "whsec_", "whsec_AAAA", "not base64!", []], ids=str)
def test_a_secret_that_would_accept_everything_is_a_configuration_error(secret: str | list[str]) -> None:
    with pytest.raises(ValueError, match="webhook secret"):
        verify_webhook(secret, sign("whsec_"), BODY)
