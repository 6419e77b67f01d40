"""Dependencies for FastAPI.

They are plain functions, which FastAPI runs in its thread pool, so a license check does not block the event loop.
A refusal is an ``HTTPException`` whose ``detail`` has ``error`` and ``message``.
"""

from collections.abc import Callable
from typing import Annotated

from fastapi import Depends, HTTPException, Request
from fastapi.security import HTTPBearer

from .auth import Auth
from .client import Latchkey
from .errors import AuthError

# Describes the Authorization header in the OpenAPI document. The header itself is read from the request.
_bearer = HTTPBearer(auto_error=False, scheme_name="Latchkey", bearerFormat="JWT")


def require_auth(latchkey: Latchkey) -> Callable[..., Auth]:
    """A dependency that verifies the access token.

    @app.get("/me")
    def read_me(auth: Annotated[Auth, Depends(require_auth(latchkey))]): ...
    """
    return _create_dependency(latchkey, lambda auth: None)


def require_role(latchkey: Latchkey, *roles: str) -> Callable[..., Auth]:
    """A dependency that also requires one of the roles in the tenant."""
    return _create_dependency(latchkey, lambda auth: latchkey.require_role(auth, *roles))


def require_license(latchkey: Latchkey, feature: str) -> Callable[..., Auth]:
    """A dependency that also requires a license with the feature.

    @app.get("/reports", dependencies=[Depends(require_license(latchkey, "reports"))])
    """
    return _create_dependency(latchkey, lambda auth: latchkey.require_license(auth, feature))


def _create_dependency(latchkey: Latchkey, check: Callable[[Auth], None]) -> Callable[..., Auth]:
    def dependency(request: Request, _: Annotated[object, Depends(_bearer)]) -> Auth:
        try:
            auth = latchkey.authenticate(request.headers.get("authorization"))
            check(auth)
            return auth
        except AuthError as error:
            raise HTTPException(error.status, detail=error.to_body(), headers=error.to_headers()) from error

    return dependency
