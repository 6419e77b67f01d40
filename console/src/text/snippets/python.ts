import {
  homeOf,
  openAndSignIn,
  originOf,
  pathOf,
  portOf,
  quote,
  type Snippet,
  type SnippetValues,
  withSecret,
} from './values.ts'

const register = ({ issuer, clientId }: SnippetValues) => `oauth.register(
    "latchkey",
    server_metadata_url=${quote(`${issuer}/.well-known/openid-configuration`)},
    client_id=${quote(clientId)},
    client_secret=os.environ["LATCHKEY_CLIENT_SECRET"],
    client_kwargs={"scope": "openid profile email", "code_challenge_method": "S256"},
)`

export function authlibFlask(values: SnippetValues): Snippet {
  const { redirectUri } = values
  const code = `import os
import secrets

from authlib.integrations.flask_client import OAuth
from flask import Flask, redirect, session

app = Flask(__name__)
# Sessions end with the process. In production, set a fixed secret.
app.secret_key = secrets.token_hex(32)
oauth = OAuth(app)
${register(values)}


@app.get("/")
def home():
    user = session.get("user")
    return f"Hello {user['email']}" if user else "You are not signed in."


@app.get("/login")
def login():
    return oauth.latchkey.authorize_redirect(${quote(redirectUri)})


@app.get(${quote(pathOf(redirectUri))})
def callback():
    session["user"] = oauth.latchkey.authorize_access_token()["userinfo"]
    return redirect("/")
`
  return {
    files: [{ name: 'app.py', code }],
    run: `pip install flask authlib requests
${withSecret(values, `flask --app app run --port ${portOf(redirectUri, '8080')}`)}`,
    next: openAndSignIn(`${originOf(redirectUri)}/login`),
  }
}

export function authlibFastApi(values: SnippetValues): Snippet {
  const { redirectUri } = values
  const code = `import os
import secrets

from authlib.integrations.starlette_client import OAuth
from fastapi import FastAPI, Request
from fastapi.responses import PlainTextResponse, RedirectResponse
from starlette.middleware.sessions import SessionMiddleware

app = FastAPI()
# Sessions end with the process. In production, set a fixed secret.
app.add_middleware(SessionMiddleware, secret_key=secrets.token_hex(32))
oauth = OAuth()
${register(values)}


@app.get("/", response_class=PlainTextResponse)
async def home(request: Request):
    user = request.session.get("user")
    return f"Hello {user['email']}" if user else "You are not signed in."


@app.get("/login")
async def login(request: Request):
    return await oauth.latchkey.authorize_redirect(request, ${quote(redirectUri)})


@app.get(${quote(pathOf(redirectUri))})
async def callback(request: Request):
    token = await oauth.latchkey.authorize_access_token(request)
    request.session["user"] = dict(token["userinfo"])
    return RedirectResponse("/")
`
  return {
    files: [{ name: 'app.py', code }],
    run: `pip install fastapi uvicorn authlib httpx itsdangerous
${withSecret(values, `uvicorn app:app --host localhost --port ${portOf(redirectUri, '8080')}`)}`,
    next: openAndSignIn(`${originOf(redirectUri)}/login`),
  }
}

export function djangoAllauth(values: SnippetValues): Snippet {
  const { issuer, clientId, redirectUri } = values
  const settings = `# Add this to the settings of your project.
import os

INSTALLED_APPS += [
    "allauth",
    "allauth.account",
    "allauth.socialaccount",
    "allauth.socialaccount.providers.openid_connect",
]
MIDDLEWARE += ["allauth.account.middleware.AccountMiddleware"]
AUTHENTICATION_BACKENDS = [
    "django.contrib.auth.backends.ModelBackend",
    "allauth.account.auth_backends.AuthenticationBackend",
]
SOCIALACCOUNT_PROVIDERS = {
    "openid_connect": {
        "OAUTH_PKCE_ENABLED": True,
        "APPS": [
            {
                "provider_id": "latchkey",
                "name": "Latchkey",
                "client_id": ${quote(clientId)},
                "secret": os.environ["LATCHKEY_CLIENT_SECRET"],
                "settings": {"server_url": ${quote(issuer)}},
            }
        ],
    }
}
LOGIN_REDIRECT_URL = "/"
`
  const urls = `# Add this to the urls.py of your project.
from django.urls import include, path

urlpatterns += [path("accounts/", include("allauth.urls"))]
`
  const serve = withSecret(values, `python manage.py runserver localhost:${portOf(redirectUri, '8000')}`)
  return {
    files: [
      { name: 'settings.py', code: settings },
      { name: 'urls.py', code: urls },
    ],
    run: `pip install "django-allauth[socialaccount]"
${withSecret(values, 'python manage.py migrate')}
${serve}`,
    next: openAndSignIn(`${originOf(redirectUri)}/accounts/oidc/latchkey/login/`),
  }
}

export function mozillaDjangoOidc(values: SnippetValues): Snippet {
  const { issuer, clientId, redirectUri } = values
  const settings = `# Add this to the settings of your project.
import os

INSTALLED_APPS += ["mozilla_django_oidc"]
AUTHENTICATION_BACKENDS = [
    "django.contrib.auth.backends.ModelBackend",
    "mozilla_django_oidc.auth.OIDCAuthenticationBackend",
]
OIDC_RP_CLIENT_ID = ${quote(clientId)}
OIDC_RP_CLIENT_SECRET = os.environ["LATCHKEY_CLIENT_SECRET"]
OIDC_RP_SCOPES = "openid profile email"
OIDC_RP_SIGN_ALGO = "RS256"
OIDC_USE_PKCE = True
OIDC_OP_AUTHORIZATION_ENDPOINT = ${quote(`${issuer}/oauth/authorize`)}
OIDC_OP_TOKEN_ENDPOINT = ${quote(`${issuer}/api/oauth/token`)}
OIDC_OP_USER_ENDPOINT = ${quote(`${issuer}/api/oauth/userinfo`)}
OIDC_OP_JWKS_ENDPOINT = ${quote(`${issuer}/api/oauth/jwks`)}
LOGIN_REDIRECT_URL = "/"
LOGOUT_REDIRECT_URL = "/"
`
  const urls = `# Add this to the urls.py of your project.
from django.urls import include, path

urlpatterns += [path("oidc/", include("mozilla_django_oidc.urls"))]
`
  const serve = withSecret(values, `python manage.py runserver localhost:${portOf(redirectUri, '8000')}`)
  return {
    files: [
      { name: 'settings.py', code: settings },
      { name: 'urls.py', code: urls },
    ],
    run: `pip install mozilla-django-oidc
${serve}`,
    next: openAndSignIn(`${homeOf(redirectUri)}oidc/authenticate/`),
  }
}
