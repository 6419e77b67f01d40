"""What the tests do at Latchkey: sign users in, and change seats and webhooks of the demo."""

from __future__ import annotations

import base64
import hashlib
import os
import secrets
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
from latchkey import MachineToken

URL = os.environ["LATCHKEY_URL"]
REDIRECT_URI = "http://localhost:8080/callback"

operator = MachineToken(URL, "demo-ops", "demo-ops-secret")
machine = MachineToken(URL, "demo-machine", "demo-machine-secret")


def call(method: str, path: str, token: str, body: Any = None) -> Any:
    response = httpx.request(method, URL + path, headers={"Authorization": f"Bearer {token}"}, json=body, timeout=60)
    assert response.is_success, response.text
    return response.json() if response.content else None


@dataclass(frozen=True)
class Tokens:
    access_token: str
    id_token: str
    session: httpx.Client

    def sign_out(self) -> None:
        response = self.session.post(f"{URL}/api/auth/logout", headers={"Origin": URL})
        assert response.is_success, response.text


def sign_in(email: str) -> Tokens:
    """Gets the tokens of a user with the authorization code flow, like a browser and an application."""
    session = httpx.Client(timeout=60)
    login = session.post(f"{URL}/api/auth/login", json={"email": email, "password": "latchkey-demo-2026"})
    assert login.is_success, login.text
    verifier = secrets.token_urlsafe(32)
    challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()
    authorization = session.get(
        f"{URL}/oauth/authorize",
        params={
            "response_type": "code",
            "client_id": "demo-spa",
            "redirect_uri": REDIRECT_URI,
            "scope": "openid profile email",
            "nonce": secrets.token_urlsafe(16),
            "prompt": "none",
            "code_challenge": challenge,
            "code_challenge_method": "S256",
        },
    )
    query = parse_qs(urlsplit(authorization.headers["location"]).query)
    reply = httpx.post(
        f"{URL}/api/oauth/token",
        data={
            "grant_type": "authorization_code",
            "code": query["code"][0],
            "redirect_uri": REDIRECT_URI,
            "client_id": "demo-spa",
            "code_verifier": verifier,
        },
        timeout=60,
    ).json()
    return Tokens(reply["access_token"], reply["id_token"], session)


def find_application() -> str:
    applications = call("GET", "/api/admin/applications?search=project-manager", operator.get())["applications"]
    return applications[0]["id"]


def revoke_seat(user_id: str, application_id: str) -> None:
    body = {"userId": user_id, "applicationId": application_id}
    call("POST", "/api/integration/licenses/revoke", machine.get(), body)


def grant_seat(user_id: str, application_id: str) -> None:
    types = call("GET", f"/api/licensing/license-types?applicationId={application_id}", operator.get())
    pro = next(entry["id"] for entry in types if entry["slug"] == "pro")
    body = {"userId": user_id, "applicationId": application_id, "licenseTypeId": pro}
    call("POST", "/api/integration/licenses/grant", machine.get(), body)
