"""Protect an API with Latchkey: access tokens, roles, licenses, webhooks."""

from .auth import Auth, License
from .client import Latchkey
from .errors import AuthError, WebhookError
from .machine_token import MachineToken
from .webhooks import WebhookEvent, verify_webhook

__all__ = [
    "Auth",
    "AuthError",
    "Latchkey",
    "License",
    "MachineToken",
    "WebhookError",
    "WebhookEvent",
    "verify_webhook",
]
