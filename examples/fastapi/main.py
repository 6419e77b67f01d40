"""An API with three routes: one for every user, one for owners and admins, and one that needs a license."""

import os
from typing import Annotated

from fastapi import Depends, FastAPI
from latchkey import Auth, Latchkey
from latchkey.fastapi import require_auth, require_license, require_role

latchkey = Latchkey(
    os.environ.get("LATCHKEY_URL", "http://localhost:3000"),
    # The id of the application in Latchkey, which is the audience (aud) of its access tokens.
    os.environ["APPLICATION_ID"],
)
app = FastAPI()


@app.get("/me")
def read_me(auth: Annotated[Auth, Depends(require_auth(latchkey))]):
    return {"user": auth.user_id, "tenant": auth.tenant_slug, "roles": auth.roles}


@app.get("/settings")
def read_settings(auth: Annotated[Auth, Depends(require_role(latchkey, "owner", "admin"))]):
    return {"settings": f"The settings of {auth.tenant_slug}"}


@app.get("/reports")
def list_reports(auth: Annotated[Auth, Depends(require_license(latchkey, "reports"))]):
    return {"reports": [f"A report for {auth.tenant_slug}"]}
