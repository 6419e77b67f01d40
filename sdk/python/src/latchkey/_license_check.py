"""License checks at Latchkey, with a short memory."""

from __future__ import annotations

import hashlib
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future

import httpx

from ._http import RequestFailed, request_json
from .errors import AuthError
from .machine_token import MachineToken

MAX_ENTRIES = 10_000

Features = frozenset[str]
_Key = tuple[str, str]


class LicenseCheck:
    """Reads the features that the license of a user has now."""

    def __init__(self, issuer: str, application_id: str, cache_seconds: float, http: httpx.Client) -> None:
        self._url = f"{issuer}/api/integration/licenses/check"
        self._application_id = application_id
        self._http = http
        self._results = _Results(cache_seconds)

    def features_of_caller(self, token: str) -> Features:
        """The features of the user to whom the access token was issued."""
        # Results are kept for each token and not for each user, so that a session that has ended cannot use the
        # result of another session, and its refusal does not reach the other session.
        digest = hashlib.sha256(token.encode()).hexdigest()
        return self._results.get(("token", digest), lambda: self._check(token, {}, on_401=_refuse_caller))

    def features_of_user(self, machine: MachineToken, user_id: str) -> Features:
        """The features of any user in the tenant of the machine."""

        def check() -> Features:
            token = machine.get()
            return self._check(token, {"userId": user_id}, on_401=lambda: machine.forget(token))

        return self._results.get(("user", user_id), check)

    def _check(self, token: str, user: dict[str, str], on_401: Callable[[], None]) -> Features:
        params = {"applicationId": self._application_id, **user}
        headers = {"Authorization": f"Bearer {token}"}
        try:
            reply = request_json(self._http, "GET", self._url, params=params, headers=headers)
        except RequestFailed as error:
            raise AuthError("unavailable", "The license cannot be checked now.") from error
        if reply.status == 401:
            on_401()
        features = reply.body.get("features") if isinstance(reply.body, dict) else None
        if reply.status != 200 or not isinstance(features, list):
            raise AuthError("unavailable", f"The license check returned {reply.status}.")
        return frozenset(feature for feature in features if isinstance(feature, str))


def _refuse_caller() -> None:
    # The session has ended since the token was issued.
    raise AuthError("invalid_token", "The access token is no longer valid.", challenge='Bearer error="invalid_token"')


class _Results:
    """Keeps each result for a few seconds. Concurrent calls with one key share one check."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._lock = threading.Lock()
        self._entries: OrderedDict[_Key, tuple[Future[Features], float]] = OrderedDict()

    def get(self, key: _Key, check: Callable[[], Features]) -> Features:
        future: Future[Features] = Future()
        with self._lock:
            known, expires_at = self._entries.get(key, (future, 0.0))
            is_known = time.monotonic() < expires_at
            if is_known:
                future = known
            else:
                self._entries.pop(key, None)
                self._entries[key] = (future, time.monotonic() + self._seconds)
                if len(self._entries) > MAX_ENTRIES:
                    self._entries.popitem(last=False)
        if not is_known:
            self._run(key, future, check)
        return future.result()

    def _run(self, key: _Key, future: Future[Features], check: Callable[[], Features]) -> None:
        try:
            future.set_result(check())
        except BaseException as error:
            # A failed check is not reused.
            with self._lock:
                if self._entries.get(key, (None,))[0] is future:
                    del self._entries[key]
            future.set_exception(error)
