from __future__ import annotations

import functools
import json
import threading
import time
from collections import Counter
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa

from latchkey import Latchkey

APPLICATION = "0197a3c2-0000-7000-8000-000000000001"
TENANT = "0197a3c2-0000-7000-8000-00000000000a"


@functools.cache
def create_key(name: str) -> rsa.RSAPrivateKey:
    """A key of the tests with this name. Creating one takes long."""
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


class Issuer:
    """Serves keys and prepared responses on a local port, and signs tokens. It counts the requests."""

    def __init__(self) -> None:
        self.keys: dict[str, rsa.RSAPrivateKey] = {}
        self.requests: Counter[str] = Counter()
        #: Path → (status, headers, body).
        self.responses: dict[str, tuple[int, dict[str, str], Any]] = {}
        self.add_key("first")
        issuer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                path = self.path.split("?")[0]
                issuer.requests[path] += 1
                status, headers, body = issuer.responses.get(path, (404, {}, {}))
                content = body if isinstance(body, bytes) else json.dumps(body).encode()
                self.send_response(status)
                for name, value in {**headers, "Content-Length": str(len(content))}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(content)

            do_POST = do_GET

            def log_message(self, *args: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def add_key(self, kid: str) -> rsa.RSAPrivateKey:
        self.keys[kid] = create_key(kid)
        self.publish(*self.keys)
        return self.keys[kid]

    def publish(self, *kids: str) -> None:
        entries = [
            {**json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(self.keys[kid].public_key())), "kid": kid, "alg": "RS256"}
            for kid in kids
        ]
        self.responses["/api/oauth/jwks"] = (200, {}, {"keys": entries})

    def claims(self, **changes: Any) -> dict[str, Any]:
        now = int(time.time())
        claims = {
            "iss": self.url,
            "sub": "user-1",
            "aud": APPLICATION,
            "exp": now + 900,
            "iat": now,
            "client_id": "demo-spa",
            "scope": "openid reports:read",
            "tenant_id": TENANT,
            "tenant_slug": "acme",
            "tenant_roles": ["member"],
            "license": {"type": "pro", "name": "Pro", "features": ["reports"]},
            **changes,
        }
        return {name: value for name, value in claims.items() if value is not None}

    def sign(self, *, kid: str | None = "first", typ: str | None = "at+jwt", key: Any = None, **changes: Any) -> str:
        headers = {"typ": typ, **({} if kid is None else {"kid": kid})}
        return jwt.encode(self.claims(**changes), key or self.keys["first"], algorithm="RS256", headers=headers)


@pytest.fixture
def issuer() -> Iterator[Issuer]:
    issuer = Issuer()
    yield issuer
    issuer.server.shutdown()
    issuer.server.server_close()


@pytest.fixture
def latchkey(issuer: Issuer) -> Latchkey:
    return Latchkey(issuer.url, APPLICATION)
