"""An operation of the contract, as the transports need to know it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Operation:
    #: `verify.send`
    name: str
    verb: str
    #: With the names of fields in braces: `/v1/verify/sessions/{id}`.
    path: str
    #: What is not in the path goes into a JSON body, otherwise into the query.
    has_body: bool
    #: It carries an `Idempotency-Key`.
    idempotency_key: bool
    #: Repeating it does no harm.
    repeatable: bool
    #: Fields of the answer that are never empty, and the same as in the request where that has them.
    ids: tuple[str, ...] = ()
    #: It answers with nothing but that what it names is gone.
    is_deletion: bool = False
