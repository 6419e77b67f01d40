from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest
from conftest import APPLICATION, Issuer

from latchkey import AuthError, Latchkey, MachineToken, _license_check, machine_token

CHECK = "/api/integration/licenses/check"
TOKEN = "/api/oauth/token"


def serve_features(issuer: Issuer, *features: str) -> None:
    issuer.responses[CHECK] = (200, {}, {"hasLicense": bool(features), "features": list(features)})


def test_one_check_serves_all_features_and_is_reused(issuer: Issuer, latchkey: Latchkey) -> None:
    serve_features(issuer, "reports")
    auth = latchkey.verify(issuer.sign())
    assert latchkey.has_feature(auth, "reports")
    assert not latchkey.has_feature(auth, "report")
    latchkey.require_license(auth, "reports")
    with pytest.raises(AuthError) as caught:
        latchkey.require_license(auth, "audit")
    assert (caught.value.code, caught.value.status, caught.value.challenge) == ("license_required", 403, None)
    assert issuer.requests[CHECK] == 1


def test_a_token_that_is_bound_to_a_key_is_not_sent_to_latchkey(issuer: Issuer, latchkey: Latchkey) -> None:
    auth = latchkey.verify(issuer.sign(cnf={"jkt": "x"}))
    assert latchkey.has_feature(auth, "reports")
    assert not latchkey.has_feature(auth, "audit")
    assert not latchkey.has_feature(latchkey.verify(issuer.sign(cnf={"jkt": "x"}, license=None)), "reports")
    assert issuer.requests[CHECK] == 0


def test_concurrent_checks_share_one_request(issuer: Issuer, latchkey: Latchkey) -> None:
    serve_features(issuer, "reports")
    auth = latchkey.verify(issuer.sign())
    with ThreadPoolExecutor(16) as pool:
        assert all(pool.map(lambda _: latchkey.has_feature(auth, "reports"), range(64)))
    assert issuer.requests[CHECK] == 1


def test_a_result_ends_after_the_configured_time(issuer: Issuer) -> None:
    latchkey = Latchkey(issuer.url, APPLICATION, license_cache_seconds=0.05)
    auth = latchkey.verify(issuer.sign())
    serve_features(issuer, "reports")
    assert latchkey.has_feature(auth, "reports")
    serve_features(issuer)
    time.sleep(0.05)
    assert not latchkey.has_feature(auth, "reports")


def test_another_session_of_the_user_does_not_use_the_result(issuer: Issuer, latchkey: Latchkey) -> None:
    serve_features(issuer, "reports")
    assert latchkey.has_feature(latchkey.verify(issuer.sign(jti="1")), "reports")
    issuer.responses[CHECK] = (401, {}, {"error": "UNAUTHORIZED"})
    with pytest.raises(AuthError) as caught:
        latchkey.has_feature(latchkey.verify(issuer.sign(jti="2")), "reports")
    assert (caught.value.code, caught.value.status) == ("invalid_token", 401)


@pytest.mark.parametrize(
    "response",
    [
        (500, {}, {}),
        (403, {}, {}),
        (302, {"Location": "/elsewhere"}, {}),
        (200, {}, b"<html>"),
        (200, {}, {"features": "reports"}),
        (200, {}, None),
        (503, {"Retry-After": "60"}, {}),
    ],
    ids=str,
)
def test_a_check_that_cannot_be_decided_fails_and_is_not_reused(
    issuer: Issuer, response: tuple[int, dict[str, str], object]
) -> None:
    latchkey = Latchkey(issuer.url, APPLICATION, http=httpx.Client(follow_redirects=True))
    issuer.responses["/elsewhere"] = (200, {}, {"features": ["reports"]})
    auth = latchkey.verify(issuer.sign())
    issuer.responses[CHECK] = response
    with pytest.raises(AuthError) as caught:
        latchkey.has_feature(auth, "reports")
    assert (caught.value.code, caught.value.status) == ("unavailable", 503)
    serve_features(issuer, "reports")
    assert latchkey.has_feature(auth, "reports")


def test_a_check_is_repeated_when_the_service_says_so(issuer: Issuer, latchkey: Latchkey) -> None:
    auth = latchkey.verify(issuer.sign())
    issuer.responses[CHECK] = (429, {"Retry-After": "0"}, {})
    with pytest.raises(AuthError):
        latchkey.has_feature(auth, "reports")
    assert issuer.requests[CHECK] == 4


def test_no_connection_is_503(issuer: Issuer, latchkey: Latchkey) -> None:
    auth = latchkey.verify(issuer.sign())
    issuer.server.shutdown()
    issuer.server.server_close()
    with pytest.raises(AuthError) as caught:
        latchkey.require_license(auth, "reports")
    assert caught.value.status == 503


def test_machines_and_users_without_a_tenant_have_no_license(issuer: Issuer, latchkey: Latchkey) -> None:
    serve_features(issuer, "reports")
    assert not latchkey.has_feature(latchkey.verify(issuer.sign(tenant_id=None)), "reports")
    assert not latchkey.has_feature(latchkey.verify(issuer.sign(sub="demo-spa")), "reports")
    assert issuer.requests[CHECK] == 0


def test_the_number_of_results_is_limited(issuer: Issuer, latchkey: Latchkey, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_license_check, "MAX_ENTRIES", 3)
    serve_features(issuer, "reports")
    auths = [latchkey.verify(issuer.sign(jti=str(number))) for number in range(10)]
    for auth in auths:
        assert latchkey.has_feature(auth, "reports")
    assert len(latchkey._licenses._results._entries) == 3


# Machine tokens.


def test_a_machine_token_is_reused_until_a_minute_before_it_expires(
    issuer: Issuer, monkeypatch: pytest.MonkeyPatch
) -> None:
    issuer.responses[TOKEN] = (200, {}, {"access_token": "one", "expires_in": 900})
    machine = MachineToken(issuer.url, "demo-machine", "secret")
    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(lambda _: machine.get(), range(32))) == {"one"}
    assert issuer.requests[TOKEN] == 1
    issuer.responses[TOKEN] = (200, {}, {"access_token": "two", "expires_in": 900})
    clock = time.monotonic() + 840
    monkeypatch.setattr(machine_token.time, "monotonic", lambda: clock)
    assert machine.get() == "two"


def test_a_refused_machine_is_503_with_the_reason_and_without_the_secret(issuer: Issuer) -> None:
    body = {"error": "invalid_client", "error_description": "The client or its secret is wrong."}
    issuer.responses[TOKEN] = (400, {}, body)
    machine = MachineToken(issuer.url, "demo-machine", "very-secret")
    with pytest.raises(AuthError) as caught:
        machine.get()
    assert caught.value.status == 503
    assert str(caught.value) == "No token for demo-machine: The client or its secret is wrong."
    assert "very-secret" not in repr(machine)


def test_a_license_is_checked_by_the_id_of_the_user(issuer: Issuer, latchkey: Latchkey) -> None:
    issuer.responses[TOKEN] = (200, {}, {"access_token": "one", "expires_in": 900})
    serve_features(issuer, "reports")
    with pytest.raises(ValueError, match="machine"):
        latchkey.has_feature("user-1", "reports")
    machine = MachineToken(issuer.url, "demo-machine", "secret")
    latchkey = Latchkey(issuer.url, APPLICATION, machine=machine)
    assert latchkey.has_feature("user-1", "reports")
    assert not latchkey.has_feature("", "reports")
    # Latchkey refuses the token of the machine: the user is not to blame, and the next check uses a new token.
    issuer.responses[CHECK] = (401, {}, {})
    with pytest.raises(AuthError) as caught:
        latchkey.has_feature("user-2", "reports")
    assert caught.value.status == 503
    serve_features(issuer, "reports")
    assert latchkey.has_feature("user-2", "reports")
    assert issuer.requests[TOKEN] == 2
