"""Verifies access tokens of one application and checks licenses."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NoReturn

import httpx
import jwt

from ._http import RequestFailed, create_http_client, normalize_issuer
from ._key_set import KeySet
from ._license_check import LicenseCheck
from .auth import Auth, to_auth
from .errors import AuthError
from .machine_token import MachineToken

_BEARER = re.compile(r"Bearer +([\x21-\x7e]+)", re.IGNORECASE)
_MAX_TOKEN_LENGTH = 16 * 1024
_ASYMMETRIC = re.compile(r"(?:RS|PS|ES)(?:256|384|512)|EdDSA")


class Latchkey:
    """Verifies access tokens of one application and checks licenses. Threads may share an instance.

        latchkey = Latchkey("http://localhost:3000", application_id)
        auth = latchkey.authenticate(request.headers.get("authorization"))
        latchkey.require_license(auth, "reports")

    ``issuer``: the base URL of Latchkey, such as https://id.example.com.
    ``application_id``: the id of your application. Tokens for other applications are refused.
    ``audience``: the URI of your API, if it is registered as a resource. Then only tokens for this resource are
    accepted, and ``application_id`` is not needed.
    ``tenant_id``: accept only tokens for this tenant. Default: every tenant.
    ``algorithms``: the accepted signature algorithms. A key is used only for the algorithm that the key set states.
    ``license_cache_seconds``: how long the result of a license check is reused.
    ``machine``: asks for licenses of users of whom there is only the id.
    ``resource_metadata_url``: where this API publishes its metadata (RFC 9728). It is named in the challenge of a 401.
    """

    def __init__(
        self,
        issuer: str,
        application_id: str | None = None,
        *,
        audience: str | None = None,
        tenant_id: str | None = None,
        algorithms: Sequence[str] = ("RS256", "PS256", "ES256", "EdDSA"),
        license_cache_seconds: float = 5.0,
        machine: MachineToken | None = None,
        resource_metadata_url: str | None = None,
        http: httpx.Client | None = None,
    ) -> None:
        # An empty text may come from a variable that is not set.
        if audience is not None and not audience:
            raise ValueError("audience must be the URI of your API.")
        if application_id == "" or (application_id is None and audience is None):
            raise ValueError("application_id must be the id of your application.")
        if machine is not None and application_id is None:
            raise ValueError("machine needs application_id, because licenses are those of an application.")
        if not algorithms or not all(_ASYMMETRIC.fullmatch(algorithm) for algorithm in algorithms):
            raise ValueError("algorithms must be a list of signature algorithms with a public key, such as RS256.")
        self.issuer = normalize_issuer(issuer)
        self.application_id = application_id
        self._audience = audience
        self._tenant_id = tenant_id
        self._algorithms = list(algorithms)
        self._machine = machine
        self._resource_metadata_url = resource_metadata_url
        http = http or create_http_client()
        self._keys = KeySet(f"{self.issuer}/api/oauth/jwks", http)
        self._licenses = LicenseCheck(self.issuer, application_id or "", license_cache_seconds, http)

    def verify(self, token: str) -> Auth:
        """Verifies an access token. Raises an ``AuthError``: 401, or 503 if the keys cannot be read.

        If the claims have ``cnf``, the token is bound to a key: check the DPoP proof of the request as well.
        """
        try:
            return self._verify(token)
        except RequestFailed as error:
            raise AuthError("unavailable", "The keys of Latchkey cannot be read.") from error
        # Earlier versions of PyJWT let the RecursionError of a deeply nested header through.
        except (jwt.PyJWTError, ValueError, RecursionError) as error:
            raise AuthError(
                "invalid_token", "The access token is not valid.", challenge=self._challenge("invalid_token")
            ) from error

    def authenticate(self, authorization: str | None) -> Auth:
        """The same for the Authorization header of a request. Refuses tokens that are bound to a key."""
        match = _BEARER.fullmatch(authorization or "")
        if not match:
            message = "Send an access token as Authorization: Bearer."
            raise AuthError("invalid_token", message, challenge=self._challenge())
        auth = self.verify(match[1])
        if _is_bound(auth):
            message = "The access token is bound to a key, so it is not valid as Bearer."
            raise AuthError("invalid_token", message, challenge=self._challenge("invalid_token"))
        return auth

    def has_feature(self, user: Auth | str, feature: str) -> bool:
        """Whether the license of the user has the feature now.

        For an ``Auth``, it asks Latchkey with the user's own token. For the id of a user, it asks with the token of
        ``machine``. It reuses the result for a few seconds. Raises an ``AuthError`` with status 503 if Latchkey cannot
        be reached. With ``audience``, or if the token is bound to a key, it reads the license in the token instead.
        """
        if isinstance(user, str):
            if self._machine is None:
                raise ValueError("Pass machine=MachineToken(...) to Latchkey to check a license by the id of the user.")
            return user != "" and feature in self._licenses.features_of_user(self._machine, user)
        if user.user_id is None or user.tenant_id is None:
            return False
        # Latchkey does not accept a token for a resource, or a bound one from us, who do not have the key.
        if self._audience is not None or _is_bound(user):
            return user.license is not None and feature in user.license.features
        return feature in self._licenses.features_of_caller(user.token)

    def require_license(self, auth: Auth, feature: str) -> None:
        """Raises an ``AuthError`` with status 403 unless the license has the feature."""
        if not self.has_feature(auth, feature):
            raise AuthError("license_required", f"This needs a license with the feature {feature}.")

    def require_role(self, auth: Auth, *roles: str) -> None:
        """Raises an ``AuthError`` with status 403 unless the user has one of the roles in the tenant."""
        if not set(roles).intersection(auth.roles):
            self._forbid(f"This needs the role {' or '.join(roles)}.")

    def require_scope(self, auth: Auth, scope: str) -> None:
        """Raises an ``AuthError`` with status 403 unless the token has the scope."""
        if scope not in auth.scopes:
            self._forbid(f"This needs the scope {scope}.")

    def _verify(self, token: str) -> Auth:
        if len(token) > _MAX_TOKEN_LENGTH:
            raise ValueError("The token is too long.")
        header = jwt.get_unverified_header(token)
        # RFC 9068 §4: otherwise an ID token would be accepted as an access token.
        if str(header.get("typ")).lower() not in ("at+jwt", "application/at+jwt"):
            raise ValueError("The token is not an access token.")
        # Checked before the key is looked up, so that such a token causes no request.
        if header.get("alg") not in self._algorithms:
            raise ValueError("The signature algorithm is not accepted.")
        key = self._keys.find(header["kid"]) if "kid" in header else None
        if key is None:
            raise ValueError("The token names an unknown key.")
        # RFC 8725 §3.1: a key is for one algorithm.
        if key.algorithm_name != header["alg"]:
            raise ValueError("The key is for another signature algorithm.")
        claims = jwt.decode(
            token,
            key,
            algorithms=[key.algorithm_name],
            issuer=self.issuer,
            audience=self._audience or self.application_id,
            # The clock of Latchkey may be ahead, so a token from the future is not an error.
            options={"require": ["iss", "sub", "aud", "exp", "client_id"], "verify_iat": False},
        )
        if not isinstance(claims["client_id"], str):
            raise ValueError("The claim client_id is not a text.")
        if self._tenant_id is not None and claims.get("tenant_id") != self._tenant_id:
            raise ValueError("The token is for another tenant.")
        return to_auth(token, claims)

    def _forbid(self, message: str) -> NoReturn:
        raise AuthError("insufficient_scope", message, challenge=self._challenge("insufficient_scope"))

    def _challenge(self, error: str | None = None) -> str:
        """RFC 6750 §3, and RFC 9728 §5.1 for the metadata."""
        parameters = [
            *([] if error is None else [f'error="{error}"']),
            *([] if self._resource_metadata_url is None else [f'resource_metadata="{self._resource_metadata_url}"']),
        ]
        return " ".join(["Bearer", ", ".join(parameters)]).strip()


def _is_bound(auth: Auth) -> bool:
    """Whether only the holder of a key may use the token (RFC 9449 §6)."""
    return "cnf" in auth.claims
