"""Two applications with the same routes: one for FastAPI, one for Django. Each stores the webhooks that it received."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

import django
import uvicorn
from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import path
from django.views.decorators.csrf import csrf_exempt
from fastapi import Depends, FastAPI, HTTPException, Request
from latchkey import Auth, Latchkey, WebhookError, WebhookEvent, verify_webhook
from latchkey import django as for_django
from latchkey import fastapi as for_fastapi


@dataclass
class Receiver:
    """The secrets that the application knows, and the events that it received."""

    secrets: list[str] = field(default_factory=list)
    events: list[WebhookEvent] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)

    def receive(self, headers: Any, body: bytes) -> None:
        try:
            self.events.append(verify_webhook(self.secrets, headers, body))
        except WebhookError as error:
            self.refused.append(error.code)
            raise


def describe(auth: Auth) -> dict[str, Any]:
    return {"user": auth.user_id, "client": auth.client_id, "tenant": auth.tenant_slug}


def create_fastapi_app(latchkey: Latchkey, receiver: Receiver) -> FastAPI:
    app = FastAPI()

    def me(auth: Auth = Depends(for_fastapi.require_auth(latchkey))):  # noqa: B008
        return describe(auth)

    def settings_page(auth: Auth = Depends(for_fastapi.require_role(latchkey, "owner", "admin"))):  # noqa: B008
        return describe(auth)

    def reports(auth: Auth = Depends(for_fastapi.require_license(latchkey, "reports"))):  # noqa: B008
        return describe(auth)

    async def hooks(request: Request):
        try:
            receiver.receive(request.headers, await request.body())
        except WebhookError as error:
            raise HTTPException(error.status, error.message) from error

    app.get("/me")(me)
    app.get("/settings")(settings_page)
    app.get("/reports")(reports)
    app.post("/hooks")(hooks)
    return app


urlpatterns: list[Any] = []


def create_django_app(latchkey: Latchkey, receiver: Receiver) -> Any:
    def view(request: HttpRequest) -> HttpResponse:
        return JsonResponse(describe(request.auth))

    @csrf_exempt
    def hooks(request: HttpRequest) -> HttpResponse:
        try:
            receiver.receive(request.headers, request.body)
        except WebhookError as error:
            return HttpResponse(error.message, status=error.status)
        return HttpResponse(status=204)

    urlpatterns[:] = [
        path("me", for_django.require_auth(latchkey)(view)),
        path("settings", for_django.require_role(latchkey, "owner", "admin")(view)),
        path("reports", for_django.require_license(latchkey, "reports")(view)),
        path("hooks", hooks),
    ]
    if not settings.configured:
        settings.configure(ROOT_URLCONF=__name__, ALLOWED_HOSTS=["127.0.0.1"], SECRET_KEY="for-tests")
        django.setup()
    return get_wsgi_application()


class QuietHandler(WSGIRequestHandler):
    def log_message(self, *args: Any) -> None:
        pass


@contextmanager
def serve_fastapi(latchkey: Latchkey, receiver: Receiver) -> Iterator[str]:
    listener = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(create_fastapi_app(latchkey, receiver), log_level="warning"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    server.should_exit = True
    thread.join()


@contextmanager
def serve_django(latchkey: Latchkey, receiver: Receiver) -> Iterator[str]:
    app = create_django_app(latchkey, receiver)
    server: WSGIServer = make_server("127.0.0.1", 0, app, handler_class=QuietHandler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
