"""A user logs in by a code: with the client that openapi-generator makes for Python."""

import json
import os
import re
import sys
import time
import urllib.parse
import urllib.request

from openapi_client import ApiClient, CheckRequest, Configuration, SendRequest, VerifyApi
from openapi_client.exceptions import NotFoundException
from openapi_client.models.channel_input import ChannelInput

to = sys.argv[1]


def code_on_phone() -> str:
    address = f"{os.environ['RAMZ_SANDBOX_URL']}/sandbox/messages?to={urllib.parse.quote(to)}"
    for _ in range(600):
        with urllib.request.urlopen(address) as response:
            messages = json.load(response)["messages"]
        found = re.search(r"\b\d{6}\b", messages[0]["text"]) if messages else None
        if found:
            return found.group()
        time.sleep(0.05)
    raise TimeoutError("no code came")


configuration = Configuration(host=os.environ["RAMZ_BASE_URL"], access_token=os.environ["RAMZ_API_KEY"])
with ApiClient(configuration) as client:
    verify = VerifyApi(client)
    sent = verify.send(SendRequest(to=to, channel=ChannelInput.SMS, purpose="login"))
    result = verify.check(CheckRequest(id=sent.id, code=code_on_phone()))
    session = verify.get_session(sent.id)
    assert result.valid and session.status == "verified", session
    assert session.verified_at is not None and session.verified_at >= session.created_at
    try:
        verify.get_session("vrf_none")
        raise AssertionError("no such session was found")
    except NotFoundException as error:
        assert json.loads(str(error.body))["error"]["code"] == "session_not_found"
print(session.status, session.messages[0].channel)
