"""Decorators and middleware for Django. Each sets ``request.auth``."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Collection
from typing import Any

from asgiref.sync import sync_to_async
from django.http import HttpRequest, HttpResponse, JsonResponse

from .auth import Auth
from .client import Latchkey
from .errors import AuthError

View = Callable[..., Any]


def require_auth(latchkey: Latchkey) -> Callable[[View], View]:
    """A decorator that verifies the access token.

    @require_auth(latchkey)
    def read_me(request): ...
    """
    return _create_decorator(latchkey, lambda auth: None)


def require_role(latchkey: Latchkey, *roles: str) -> Callable[[View], View]:
    """A decorator that also requires one of the roles in the tenant."""
    return _create_decorator(latchkey, lambda auth: latchkey.require_role(auth, *roles))


def require_license(latchkey: Latchkey, feature: str) -> Callable[[View], View]:
    """A decorator that also requires a license with the feature.

    @require_license(latchkey, "reports")
    def list_reports(request): ...
    """
    return _create_decorator(latchkey, lambda auth: latchkey.require_license(auth, feature))


def auth_middleware(latchkey: Latchkey, *, public_paths: Collection[str] = ()) -> Callable[[View], View]:
    """Middleware that refuses every request without a valid access token, except for exactly these paths.

    # myproject/auth.py; then add "myproject.auth.middleware" to MIDDLEWARE
    middleware = auth_middleware(latchkey, public_paths=["/health"])
    """

    def middleware(get_response: View) -> View:
        def handle(request: HttpRequest) -> HttpResponse:
            if request.path_info not in public_paths:
                refusal = _find_refusal(latchkey, request, lambda auth: None)
                if refusal is not None:
                    return refusal
            response: HttpResponse = get_response(request)
            return response

        return handle

    return middleware


def _create_decorator(latchkey: Latchkey, check: Callable[[Auth], None]) -> Callable[[View], View]:
    def decorate(view: View) -> View:
        if inspect.iscoroutinefunction(view):

            @functools.wraps(view)
            async def async_view(request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
                find_refusal = sync_to_async(_find_refusal, thread_sensitive=False)
                refusal = await find_refusal(latchkey, request, check)
                return refusal if refusal is not None else await view(request, *args, **kwargs)

            return async_view

        @functools.wraps(view)
        def sync_view(request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
            refusal = _find_refusal(latchkey, request, check)
            return refusal if refusal is not None else view(request, *args, **kwargs)

        return sync_view

    return decorate


def _find_refusal(latchkey: Latchkey, request: HttpRequest, check: Callable[[Auth], None]) -> HttpResponse | None:
    """Sets ``request.auth``, or returns the response that refuses the request."""
    try:
        auth = latchkey.authenticate(request.headers.get("Authorization"))
        check(auth)
    except AuthError as error:
        return JsonResponse(error.to_body(), status=error.status, headers=error.to_headers())
    request.auth = auth
    return None
