"""The verified caller of a request."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class License:
    """The license of a user for the application, as it was when the token was issued."""

    #: The slug of the license type.
    type: str
    name: str
    features: tuple[str, ...]


@dataclass(frozen=True)
class Auth:
    """The verified caller of a request: a user, or a machine client."""

    #: The id of the user. None for a machine client.
    user_id: str | None
    client_id: str
    tenant_id: str | None
    tenant_slug: str | None
    #: The roles of the user in the tenant: ``owner``, ``admin`` or ``member``.
    roles: tuple[str, ...]
    scopes: tuple[str, ...]
    license: License | None
    #: The access token itself. It is not part of ``repr``, so that a log line does not contain it.
    token: str = field(repr=False)
    #: All claims of the token.
    claims: Mapping[str, Any] = field(repr=False)


def to_auth(token: str, claims: Mapping[str, Any]) -> Auth:
    """The claims of an access token as an ``Auth``."""
    subject, client_id = claims["sub"], claims["client_id"]
    return Auth(
        user_id=None if subject == client_id else subject,
        client_id=client_id,
        tenant_id=_text(claims, "tenant_id"),
        tenant_slug=_text(claims, "tenant_slug"),
        roles=_texts(claims.get("tenant_roles")),
        scopes=tuple((_text(claims, "scope") or "").split()),
        license=_license(claims.get("license")),
        token=token,
        claims=claims,
    )


def _license(value: Any) -> License | None:
    if not isinstance(value, Mapping):
        return None
    return License(
        type=_text(value, "type") or "", name=_text(value, "name") or "", features=_texts(value.get("features"))
    )


def _text(claims: Mapping[str, Any], name: str) -> str | None:
    value = claims.get(name)
    return value if isinstance(value, str) else None


def _texts(value: Any) -> tuple[str, ...]:
    return tuple(entry for entry in value if isinstance(entry, str)) if isinstance(value, list) else ()
