from __future__ import annotations

import base64
import hashlib
import hmac
import json
import time

import jwt
import pytest
from conftest import APPLICATION, TENANT, Issuer, create_key
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519

from latchkey import Auth, AuthError, Latchkey, License, MachineToken, _key_set


def encode(value: object) -> str:
    content = value if isinstance(value, bytes) else json.dumps(value).encode()
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()


def expect_refusal(latchkey: Latchkey, token: str) -> AuthError:
    with pytest.raises(AuthError) as caught:
        latchkey.verify(token)
    assert (caught.value.code, caught.value.status) == ("invalid_token", 401)
    assert caught.value.to_headers() == {"WWW-Authenticate": 'Bearer error="invalid_token"'}
    return caught.value


def test_the_claims_of_a_valid_token_become_an_auth(issuer: Issuer, latchkey: Latchkey) -> None:
    token = issuer.sign()
    auth = latchkey.verify(token)
    assert auth == Auth(
        user_id="user-1",
        client_id="demo-spa",
        tenant_id=TENANT,
        tenant_slug="acme",
        roles=("member",),
        scopes=("openid", "reports:read"),
        license=License(type="pro", name="Pro", features=("reports",)),
        token=token,
        claims=auth.claims,
    )
    assert token not in repr(auth)


@pytest.mark.parametrize("cnf", [{"jkt": "x"}, {"x5t#S256": "x"}, {}, "x"])
def test_a_token_that_is_bound_to_a_key_is_refused_as_bearer(issuer: Issuer, latchkey: Latchkey, cnf: object) -> None:
    token = issuer.sign(cnf=cnf)
    with pytest.raises(AuthError) as caught:
        latchkey.authenticate(f"Bearer {token}")
    assert (caught.value.code, caught.value.status) == ("invalid_token", 401)
    assert caught.value.challenge == 'Bearer error="invalid_token"'
    assert latchkey.verify(token).claims["cnf"] == cnf


API = "https://api.example.com/reports"


def test_with_an_audience_only_tokens_for_this_resource_are_accepted(issuer: Issuer, latchkey: Latchkey) -> None:
    for application_id in (None, APPLICATION):
        of_resource = Latchkey(issuer.url, application_id, audience=API)
        auth = of_resource.authenticate(f"Bearer {issuer.sign(aud=API)}")
        # Latchkey does not accept a token for a resource, so the license is the one in the token.
        assert [of_resource.has_feature(auth, feature) for feature in ("reports", "export")] == [True, False]
        for audience in (APPLICATION, f"{API}/", "https://api.example.com", None, ""):
            with pytest.raises(AuthError):
                of_resource.verify(issuer.sign(aud=audience))
    assert issuer.requests["/api/integration/licenses/check"] == 0
    with pytest.raises(AuthError):
        latchkey.verify(issuer.sign(aud=API))


def test_the_audience_or_the_application_is_required() -> None:
    machine = MachineToken("http://localhost:3000", "id", "secret")
    for options in (
        {},
        {"application_id": ""},
        {"audience": ""},
        {"application_id": APPLICATION, "audience": ""},
        {"application_id": "", "audience": API},
        {"audience": API, "machine": machine},
    ):
        with pytest.raises(ValueError):
            Latchkey("http://localhost:3000", **options)  # type: ignore[arg-type]


def test_a_machine_has_no_user_id(issuer: Issuer, latchkey: Latchkey) -> None:
    auth = latchkey.verify(issuer.sign(sub="demo-machine", client_id="demo-machine", tenant_roles=[], license=None))
    assert (auth.user_id, auth.client_id, auth.roles, auth.license) == (None, "demo-machine", (), None)


@pytest.mark.parametrize(
    "changes",
    [
        {"iss": "http://other.example"},
        {"iss": None},
        {"aud": "another-application"},
        {"aud": None},
        {"exp": int(time.time()) - 1},
        {"exp": None},
        {"exp": "tomorrow"},
        {"nbf": int(time.time()) + 600},
        {"sub": None},
        {"client_id": None},
        {"client_id": ["demo-spa"]},
        {"typ": "JWT"},
        {"typ": None},
        {"typ": "at+jwt+x"},
        {"kid": "unknown"},
        {"kid": None},
    ],
    ids=str,
)
def test_a_token_with_a_wrong_claim_or_header_is_refused(
    issuer: Issuer, latchkey: Latchkey, changes: dict[str, object]
) -> None:
    expect_refusal(latchkey, issuer.sign(**changes))  # type: ignore[arg-type]


def test_a_key_of_another_issuer_is_refused(issuer: Issuer, latchkey: Latchkey) -> None:
    stranger = create_key("stranger")
    expect_refusal(latchkey, issuer.sign(key=stranger))


def test_a_token_without_a_signature_is_refused(issuer: Issuer, latchkey: Latchkey) -> None:
    for algorithm in ("none", "None", "NONE", ""):
        header = encode({"alg": algorithm, "typ": "at+jwt", "kid": "first"})
        expect_refusal(latchkey, f"{header}.{encode(issuer.claims())}.")
    head, body, _ = issuer.sign().split(".")
    expect_refusal(latchkey, f"{head}.{body}.")


def test_hs256_with_the_public_key_as_the_secret_is_refused(issuer: Issuer, latchkey: Latchkey) -> None:
    public_key = issuer.keys["first"].public_key()
    secrets = [
        public_key.public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo),
        public_key.public_bytes(serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo),
    ]
    signed = f"{encode({'alg': 'HS256', 'typ': 'at+jwt', 'kid': 'first'})}.{encode(issuer.claims())}"
    for secret in secrets:
        signature = hmac.new(secret, signed.encode(), hashlib.sha256).digest()
        expect_refusal(latchkey, f"{signed}.{encode(signature)}")


def test_every_signing_algorithm_is_accepted_only_with_the_key_for_it(issuer: Issuer, latchkey: Latchkey) -> None:
    first = create_key("first")
    keys = {
        "RS256": first,
        "PS256": first,
        "ES256": ec.generate_private_key(ec.SECP256R1()),
        "EdDSA": ed25519.Ed25519PrivateKey.generate(),
    }
    to_jwk = {name: jwt.get_algorithm_by_name(name).to_jwk for name in keys}
    entries = [{**json.loads(to_jwk[name](key.public_key())), "kid": name, "alg": name} for name, key in keys.items()]
    issuer.responses["/api/oauth/jwks"] = (200, {}, {"keys": entries})

    def sign(algorithm: str, kid: str) -> str:
        headers = {"typ": "at+jwt", "kid": kid}
        return jwt.encode(issuer.claims(), keys[algorithm], algorithm=algorithm, headers=headers)

    for algorithm in keys:
        for kid in keys:
            if algorithm == kid:
                assert latchkey.verify(sign(algorithm, kid)).user_id == "user-1"
            else:
                expect_refusal(latchkey, sign(algorithm, kid))


def test_a_key_in_the_header_of_the_token_is_not_used(issuer: Issuer, latchkey: Latchkey) -> None:
    stranger = create_key("stranger")
    jwk = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(stranger.public_key()))
    headers = {"typ": "at+jwt", "kid": "first", "jwk": jwk, "jku": "http://127.0.0.1:1/keys"}
    expect_refusal(latchkey, jwt.encode(issuer.claims(), stranger, algorithm="RS256", headers=headers))


def test_a_changed_claim_is_refused(issuer: Issuer, latchkey: Latchkey) -> None:
    head, _, signature = issuer.sign().split(".")
    expect_refusal(latchkey, f"{head}.{encode(issuer.claims(tenant_roles=['owner']))}.{signature}")


@pytest.mark.parametrize(
    "token",
    [
        "",
        ".",
        "..",
        "a.b.c",
        "é.é.é",
        "\ud800",
        "x" * 100_000,
        encode(b"[" * 6_000) + ".e30.e30",
        encode([]) + ".e30.e30",
    ],
    ids=lambda token: ascii(token[:10]),
)
def test_text_that_is_not_a_token_is_refused_without_a_request(issuer: Issuer, latchkey: Latchkey, token: str) -> None:
    expect_refusal(latchkey, token)
    assert not issuer.requests


@pytest.mark.parametrize("header", [None, "", "Bearer", "Bearer ", "Basic YTpi", "Bearer a b", "Bearera.b.c"])
def test_a_request_without_a_bearer_token_gets_a_plain_challenge(latchkey: Latchkey, header: str | None) -> None:
    with pytest.raises(AuthError) as caught:
        latchkey.authenticate(header)
    assert (caught.value.status, caught.value.challenge) == (401, "Bearer")


def test_the_scheme_is_not_case_sensitive(issuer: Issuer, latchkey: Latchkey) -> None:
    assert latchkey.authenticate(f"bearer {issuer.sign()}").user_id == "user-1"


def test_a_token_for_another_tenant_is_refused(issuer: Issuer) -> None:
    latchkey = Latchkey(issuer.url, APPLICATION, tenant_id=TENANT)
    assert latchkey.verify(issuer.sign()).tenant_id == TENANT
    expect_refusal(latchkey, issuer.sign(tenant_id="another"))
    expect_refusal(latchkey, issuer.sign(tenant_id=None))


def test_a_token_from_a_clock_that_is_ahead_is_accepted(issuer: Issuer, latchkey: Latchkey) -> None:
    assert latchkey.verify(issuer.sign(iat=int(time.time()) + 30)).user_id == "user-1"


def test_the_challenge_names_the_metadata(issuer: Issuer) -> None:
    latchkey = Latchkey(issuer.url, APPLICATION, resource_metadata_url="https://api.example.com/metadata")
    with pytest.raises(AuthError) as caught:
        latchkey.verify("x")
    expected = 'Bearer error="invalid_token", resource_metadata="https://api.example.com/metadata"'
    assert caught.value.challenge == expected


def test_roles_and_scopes_are_required(issuer: Issuer, latchkey: Latchkey) -> None:
    auth = latchkey.verify(issuer.sign())
    latchkey.require_role(auth, "owner", "member")
    latchkey.require_scope(auth, "reports:read")
    for check in (
        lambda: latchkey.require_role(auth, "owner", "admin"),
        lambda: latchkey.require_role(auth),
        lambda: latchkey.require_scope(auth, "reports"),
    ):
        with pytest.raises(AuthError) as caught:
            check()
        assert (caught.value.code, caught.value.status) == ("insufficient_scope", 403)
        assert caught.value.challenge == 'Bearer error="insufficient_scope"'


@pytest.mark.parametrize(
    "options",
    [
        {"issuer": "localhost:3000"},
        {"issuer": ""},
        {"application_id": ""},
        {"algorithms": ["none"]},
        {"algorithms": ["RS256", "HS256"]},
        {"algorithms": []},
    ],
    ids=str,
)
def test_a_wrong_configuration_is_reported_at_the_start(options: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="must be"):
        Latchkey(**{"issuer": "http://localhost:3000", "application_id": APPLICATION, **options})  # type: ignore[arg-type]


# The keys.


def test_the_keys_are_read_once(issuer: Issuer, latchkey: Latchkey) -> None:
    for _ in range(5):
        latchkey.verify(issuer.sign())
    assert issuer.requests["/api/oauth/jwks"] == 1


def test_a_new_key_is_found_and_invented_keys_cause_no_more_requests(
    issuer: Issuer, latchkey: Latchkey, monkeypatch: pytest.MonkeyPatch
) -> None:
    latchkey.verify(issuer.sign())
    second = issuer.add_key("second")
    for number in range(20):
        expect_refusal(latchkey, issuer.sign(kid=f"invented-{number}"))
    assert issuer.requests["/api/oauth/jwks"] == 1
    clock = time.monotonic() + _key_set.COOLDOWN_SECONDS
    monkeypatch.setattr(_key_set.time, "monotonic", lambda: clock)
    assert latchkey.verify(issuer.sign(kid="second", key=second)).user_id == "user-1"
    for number in range(20):
        expect_refusal(latchkey, issuer.sign(kid=f"invented-{number}"))
    assert issuer.requests["/api/oauth/jwks"] == 2


def test_a_withdrawn_key_is_refused_after_ten_minutes(
    issuer: Issuer, latchkey: Latchkey, monkeypatch: pytest.MonkeyPatch
) -> None:
    latchkey.verify(issuer.sign())
    issuer.add_key("second")
    issuer.publish("second")
    clock = time.monotonic() + _key_set.MAX_AGE_SECONDS
    monkeypatch.setattr(_key_set.time, "monotonic", lambda: clock)
    expect_refusal(latchkey, issuer.sign())


@pytest.mark.parametrize("response", [(500, {}, {}), (200, {}, b"<html>"), (200, {}, []), (200, {}, b"x" * 2_000_000)])
def test_unreadable_keys_are_503_and_are_not_requested_for_every_token(
    issuer: Issuer, latchkey: Latchkey, response: tuple[int, dict[str, str], object]
) -> None:
    good = issuer.responses["/api/oauth/jwks"]
    issuer.responses["/api/oauth/jwks"] = response
    for _ in range(5):
        with pytest.raises(AuthError) as caught:
            latchkey.verify(issuer.sign())
        assert (caught.value.code, caught.value.status) == ("unavailable", 503)
        assert caught.value.to_headers() == {"Retry-After": "1"}
    assert issuer.requests["/api/oauth/jwks"] == 1
    issuer.responses["/api/oauth/jwks"] = good
    time.sleep(_key_set.FAILURE_COOLDOWN_SECONDS)
    assert latchkey.verify(issuer.sign()).user_id == "user-1"


def test_a_key_set_with_keys_of_an_unknown_kind_is_read(issuer: Issuer, latchkey: Latchkey) -> None:
    _, _, body = issuer.responses["/api/oauth/jwks"]
    body["keys"] = [{"kty": "future", "kid": "x"}, "text", {"kid": 5}, {"kty": "RSA", "kid": "y"}, *body["keys"]]
    assert latchkey.verify(issuer.sign()).user_id == "user-1"
