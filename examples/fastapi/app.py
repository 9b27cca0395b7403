"""Login with a code, and the webhook that tells what became of it."""

import logging
import os
import re
import secrets
from typing import Annotated

from fastapi import Cookie, FastAPI, HTTPException, Request, Response
from fastapi.responses import JSONResponse
from pydantic import BaseModel
from ramz import ApiError, AsyncRamz, ConfigurationError, RamzError, SignatureError, types, webhooks
from ramz.constants import ErrorCode

ramz = AsyncRamz()  # RAMZ_BASE_URL, RAMZ_API_KEY
app = FastAPI()
log = logging.getLogger(__name__)
logins: dict[str, str] = {}  # token -> phone; a database in real life
handled: set[str] = set()  # ids of events
# Beside what is wrong with the number or the code, what a visitor can do something about.
THEIRS = {
    ErrorCode.SESSION_NOT_FOUND,
    ErrorCode.RESEND_TOO_SOON,
    ErrorCode.TOO_MANY_SENDS,
    ErrorCode.NUMBER_LOCKED,
    ErrorCode.NUMBER_RATE_LIMITED,
}


class Start(BaseModel):
    phone: str


class Check(BaseModel):
    phone: str
    code: str


@app.post("/login/start", status_code=202)
async def start(body: Start):
    session = await ramz.verify.send(to=body.phone, purpose="login")
    return {"channel": session.channel, "resend_after": session.resend_after}


@app.post("/login/check", status_code=204)
async def check(body: Check, response: Response):
    answer = await ramz.verify.check(to=body.phone, purpose="login", code=body.code)
    if not answer.valid:
        raise HTTPException(401, {"reason": answer.reason, "attempts_remaining": answer.attempts_remaining})
    session = await ramz.verify.get(answer.id)
    # Without the scope `numbers` the number is masked, and strangers whose masked numbers are the same would share a login.
    if not re.fullmatch(r"\+[0-9]+", session.to):
        raise ConfigurationError("the API key needs the scope numbers")
    token = secrets.token_urlsafe(32)
    logins[token] = session.to  # in one form, however it was typed
    response.set_cookie("session", token, httponly=True, samesite="lax")  # secure=True behind https


@app.get("/me")
async def me(session: Annotated[str, Cookie()] = ""):
    if session not in logins:
        raise HTTPException(401, "not logged in")
    return {"phone": logins[session]}


@app.post("/webhooks/ramz", status_code=204)
async def webhook(request: Request):
    try:
        event = webhooks.verify(await request.body(), request.headers, os.environ["RAMZ_WEBHOOK_SECRET"])
    except SignatureError as error:
        raise HTTPException(400, error.reason)
    if event.id in handled:  # events come at least once
        return
    if isinstance(event, types.ReceiptUpdatedEvent):
        print(event.type, event.data.session_id, event.data.status, flush=True)
    elif isinstance(event.data, types.SessionEvent):
        print(event.type, event.data.session_id, event.data.session.status, flush=True)
    handled.add(event.id)  # after the work: what is left half done comes again


@app.exception_handler(RamzError)
async def failed(request: Request, error: RamzError):
    if isinstance(error, ApiError) and (error.field in ("to", "code") or error.code in THEIRS):
        headers = {"retry-after": f"{error.retry_after:.0f}"} if error.retry_after else None
        return JSONResponse({"error": error.message}, error.status, headers)
    # A key that is refused, a limit of the account, no answer: for whoever runs this, and none of the visitor's business.
    log.error("Ramz: %s", error)
    return JSONResponse({"error": "try again later"}, 503)
