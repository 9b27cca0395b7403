"""Login with a code, and the webhook that tells what became of it."""

import os
import secrets
from typing import Annotated

from fastapi import Cookie, FastAPI, HTTPException, Request, Response
from fastapi.responses import JSONResponse
from pydantic import BaseModel
from ramz import ApiError, AsyncRamz, NetworkError, SignatureError, webhooks

ramz = AsyncRamz()  # RAMZ_BASE_URL, RAMZ_API_KEY
app = FastAPI()
logins: dict[str, str] = {}  # token -> phone; a database in real life
handled: set[str] = set()  # ids of events


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
    token = secrets.token_urlsafe(32)
    logins[token] = body.phone
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
    handled.add(event.id)
    if event.type == "receipt.updated" or event.type.startswith("session."):
        print(event.type, event.data.session_id, event.data.status, flush=True)


@app.exception_handler(ApiError)
async def refused(request: Request, error: ApiError):
    headers = {"retry-after": f"{error.retry_after:.0f}"} if error.retry_after else None
    return JSONResponse({"error": error.message}, error.status if error.status < 500 else 503, headers)


@app.exception_handler(NetworkError)
async def unanswered(request: Request, error: NetworkError):
    return JSONResponse({"error": "try again later"}, 503)
