"""Values that a schema has no words for are replaced before a call by some that exist: numbers of the sandbox's operators, and addresses
that a webhook may be posted to. What is wrong on purpose stays."""

import itertools
import os
import re
from typing import Any

import schemathesis

numbers = (f"+21355{7_000_000 + count}" for count in itertools.count())
sink = os.environ["RAMZ_WEBHOOK_SINK"]
# By the whitespace of JavaScript, as the pattern of the schema means it: Python's own has more characters.
space = r"\t\n\v\f\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
complete = re.compile(rf"https?://[^{space}]+")


def mend(values: Any) -> None:
    if not isinstance(values, dict):
        return
    to = values.get("to")
    if isinstance(to, str) and 1 <= len(to) <= 40 and "\0" not in to:
        values["to"] = next(numbers)
    url = values.get("url")
    if isinstance(url, str) and len(url) <= 2000 and complete.fullmatch(url):
        values["url"] = f"{sink}/fuzz"


@schemathesis.hook
def before_call(context: schemathesis.HookContext, case: schemathesis.Case, kwargs: dict[str, Any]) -> None:
    for values in (case.body, case.query, case.path_parameters):
        mend(values)
