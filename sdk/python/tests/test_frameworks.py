from __future__ import annotations

import asyncio
import json
from typing import Any

import django
import pytest
from conftest import Issuer
from django.conf import settings
from django.http import HttpRequest, JsonResponse
from django.test import RequestFactory
from fastapi import Depends, FastAPI
from fastapi.testclient import TestClient

from latchkey import Auth, Latchkey
from latchkey import django as for_django
from latchkey import fastapi as for_fastapi

settings.configure(ALLOWED_HOSTS=["*"])
django.setup()

#: A route, the changed claims of the token (None: no token), and the expected status.
CASES = [
    ("auth", None, 401),
    ("auth", {"aud": "another"}, 401),
    ("auth", {}, 200),
    ("role", None, 401),
    ("role", {}, 403),
    ("role", {"tenant_roles": ["admin"]}, 200),
    ("license", None, 401),
    ("license", {"tenant_id": None}, 403),
    ("license", {}, 200),
]


@pytest.fixture(autouse=True)
def licensed(issuer: Issuer) -> None:
    issuer.responses["/api/integration/licenses/check"] = (200, {}, {"features": ["reports"]})


def headers_of(issuer: Issuer, changes: dict[str, Any] | None) -> dict[str, str]:
    return {} if changes is None else {"Authorization": f"Bearer {issuer.sign(**changes)}"}


def create_fastapi(latchkey: Latchkey) -> FastAPI:
    app = FastAPI()
    guards = {
        "auth": for_fastapi.require_auth(latchkey),
        "role": for_fastapi.require_role(latchkey, "owner", "admin"),
        "license": for_fastapi.require_license(latchkey, "reports"),
    }
    for name, guard in guards.items():

        def read(auth: Auth = Depends(guard)) -> dict[str, Any]:  # noqa: B008
            return {"user": auth.user_id}

        app.get(f"/{name}")(read)
    return app


@pytest.mark.parametrize(("route", "changes", "status"), CASES)
def test_fastapi(issuer: Issuer, latchkey: Latchkey, route: str, changes: dict[str, Any] | None, status: int) -> None:
    response = TestClient(create_fastapi(latchkey)).get(f"/{route}", headers=headers_of(issuer, changes))
    assert response.status_code == status
    if status == 200:
        assert response.json() == {"user": "user-1"}
    else:
        assert set(response.json()["detail"]) == {"error", "message"}
        assert ("www-authenticate" in response.headers) == (route != "license" or status == 401)


def test_fastapi_describes_the_header(latchkey: Latchkey) -> None:
    document = create_fastapi(latchkey).openapi()
    assert document["paths"]["/license"]["get"]["security"] == [{"Latchkey": []}]
    assert "parameters" not in document["paths"]["/license"]["get"]


def create_views(latchkey: Latchkey) -> dict[str, Any]:
    def read(request: HttpRequest) -> JsonResponse:
        return JsonResponse({"user": request.auth.user_id})

    async def read_async(request: HttpRequest) -> JsonResponse:
        return read(request)

    decorators = {
        "auth": for_django.require_auth(latchkey),
        "role": for_django.require_role(latchkey, "owner", "admin"),
        "license": for_django.require_license(latchkey, "reports"),
    }
    return {name: (decorate(read), decorate(read_async)) for name, decorate in decorators.items()}


@pytest.mark.parametrize(("route", "changes", "status"), CASES)
def test_django(issuer: Issuer, latchkey: Latchkey, route: str, changes: dict[str, Any] | None, status: int) -> None:
    view, async_view = create_views(latchkey)[route]
    request = RequestFactory().get("/", headers=headers_of(issuer, changes))
    for response in (view(request), asyncio.run(async_view(request))):
        assert response.status_code == status
        body = json.loads(response.content)
        assert body == {"user": "user-1"} if status == 200 else set(body) == {"error", "message"}


def test_django_middleware_refuses_every_other_path(issuer: Issuer, latchkey: Latchkey) -> None:
    middleware = for_django.auth_middleware(latchkey, public_paths=["/health"])
    handle = middleware(lambda request: JsonResponse({"path": request.path}))
    factory = RequestFactory()
    assert handle(factory.get("/health")).status_code == 200
    for path in ("/", "/health/", "/health/x", "/Health", "//health", "/x/../health"):
        assert handle(factory.get(path)).status_code == 401
    request = factory.get("/", headers=headers_of(issuer, {}))
    assert handle(request).status_code == 200
    assert request.auth.user_id == "user-1"
