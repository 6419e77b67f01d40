"""A FastAPI and a Django application, protected by a real Latchkey."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import httpx
import pytest
from apps import Receiver, serve_django, serve_fastapi
from latchkey import Latchkey
from latchkey_demo import URL, call, find_application, grant_seat, machine, operator, revoke_seat, sign_in


@dataclass(frozen=True)
class App:
    url: str
    receiver: Receiver
    latchkey: Latchkey

    def get(self, path: str, token: str | None = None) -> httpx.Response:
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        return httpx.get(self.url + path, headers=headers, timeout=60)


@pytest.fixture(scope="module")
def application_id() -> str:
    return find_application()


@pytest.fixture(params=[serve_fastapi, serve_django], ids=["fastapi", "django"])
def app(request: pytest.FixtureRequest, application_id: str) -> Iterator[App]:
    latchkey = Latchkey(URL, application_id, machine=machine, license_cache_seconds=0.2)
    receiver = Receiver()
    with request.param(latchkey, receiver) as url:
        yield App(url, receiver, latchkey)


def eventually(check: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not check():
        assert time.monotonic() < deadline, "It did not happen within 60 seconds."
        time.sleep(0.05)


def test_each_route_admits_the_users_that_it_should(app: App) -> None:
    owner, licensed, unlicensed, stranger = (
        sign_in(f"{name}.test") for name in ("olivia@acme", "mia@acme", "max@acme", "gus@globex")
    )
    assert app.get("/me", licensed.access_token).json()["tenant"] == "acme"
    assert app.get("/me", machine.get()).json() == {"user": None, "client": "demo-machine", "tenant": "acme"}
    for path, tokens, status in [
        ("/me", unlicensed, 200),
        ("/me", stranger, 200),
        ("/settings", owner, 200),
        ("/settings", licensed, 403),
        ("/reports", licensed, 200),
        ("/reports", unlicensed, 403),
        ("/reports", stranger, 403),
    ]:
        assert (path, app.get(path, tokens.access_token).status_code) == (path, status)
    assert app.get("/reports", machine.get()).status_code == 403
    for path in ("/me", "/settings", "/reports"):
        assert app.get(path).status_code == 401
        assert app.get(path, licensed.id_token).status_code == 401
        assert app.get(path, licensed.access_token[:-4] + "AAAA").status_code == 401


def test_a_revoked_seat_closes_the_route_and_a_new_one_opens_it(app: App, application_id: str) -> None:
    token = sign_in("mia@acme.test").access_token
    user_id = app.get("/reports", token).json()["user"]
    assert app.latchkey.has_feature(user_id, "reports")
    revoke_seat(user_id, application_id)
    try:
        eventually(lambda: app.get("/reports", token).status_code == 403)
        eventually(lambda: not app.latchkey.has_feature(user_id, "reports"))
        assert app.get("/me", token).status_code == 200
    finally:
        grant_seat(user_id, application_id)
    eventually(lambda: app.get("/reports", token).status_code == 200)


def test_a_license_check_notices_that_the_user_has_signed_out(app: App) -> None:
    tokens, other_session = sign_in("mia@acme.test"), sign_in("mia@acme.test")
    assert app.get("/reports", tokens.access_token).status_code == 200
    tokens.sign_out()
    eventually(lambda: app.get("/reports", tokens.access_token).status_code == 401)
    assert app.get("/reports", other_session.access_token).status_code == 200


def test_tokens_stay_valid_when_the_keys_are_rotated(app: App) -> None:
    token = sign_in("mia@acme.test").access_token
    call("POST", "/api/admin/keys/rotate", operator.get())
    assert app.get("/reports", token).status_code == 200
    assert app.get("/reports", sign_in("mia@acme.test").access_token).status_code == 200


def test_webhooks_are_verified_before_during_and_after_a_rotation_of_the_secret(app: App, application_id: str) -> None:
    def change_seat() -> None:
        revoke_seat(user_id, application_id)
        grant_seat(user_id, application_id)

    user_id = app.get("/me", sign_in("mia@acme.test").access_token).json()["user"]
    events = app.receiver.events
    webhook = call(
        "POST", "/api/admin/webhooks", operator.get(), {"url": f"{app.url}/hooks", "events": ["license.granted"]}
    )
    path = f"/api/admin/webhooks/{webhook['id']}"
    try:
        app.receiver.secrets = [webhook["secret"]]
        change_seat()
        eventually(lambda: len(events) >= 1)
        assert (events[0].type, events[0].data["userId"]) == ("license.granted", user_id)

        new_secret = call("POST", f"{path}/secret", operator.get())["secret"]
        for secrets in ([webhook["secret"]], [new_secret], [webhook["secret"], new_secret]):
            count = len(events)
            app.receiver.secrets = secrets
            change_seat()
            eventually(lambda count=count: len(events) > count)
        assert app.receiver.refused == []

        app.receiver.secrets = ["whsec_" + "A" * 44]
        change_seat()
        eventually(lambda: "invalid_signature" in app.receiver.refused)
    finally:
        call("DELETE", path, operator.get())
