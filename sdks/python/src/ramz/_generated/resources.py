# Made from the contract by sdks/codegen/src/python.ts: run `npm run generate`, do not edit.
"""The resources of `Ramz`, one method for each operation of the service."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from datetime import datetime
from typing import Any, Optional, Union

from .._pages import PageIterator, page_reader
from .._transport import Transport
from . import operations
from .types import (
    Account,
    ApiKey,
    Autofill,
    CascadeLeg,
    CheckResponse,
    CreateAccountResponse,
    CreateWabaSignupResponse,
    DeleteWebhookEndpointResponse,
    GetMeasuresResponse,
    RegisterAutofill,
    SenderId,
    SendResponse,
    Session,
    TestWebhookEndpointResponse,
    Waba,
    WatchSessionResponse,
    WebhookDelivery,
    WebhookEndpoint,
)


class VerifyResource:
    """Verifies that somebody controls a phone number."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def send(
        self,
        *,
        to: str,
        channel: Optional[str] = None,
        sender_id: Optional[str] = None,
        language: Optional[str] = None,
        code_length: Optional[int] = None,
        ttl_seconds: Optional[int] = None,
        cascade: Optional[Sequence[Union[CascadeLeg, Mapping[str, Any]]]] = None,
        purpose: Optional[str] = None,
        client_reference: Optional[str] = None,
        autofill: Optional[Union[Autofill, Mapping[str, Any]]] = None,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> SendResponse:
        """Sends a code: one call opens a session and starts its cascade. While a session for the
        same number and purpose is pending, a further call is a resend: same session, same code,
        a new run of the cascade.

        The key needs the scope `verify`.

        Args:
            to: Phone number in international format: plus sign, country code, subscriber
                number.
            channel: Channel of the first leg. Default `sms`. Words: `constants.Channel`.
            sender_id: Sender name shown to the recipient, approved at the number's operator.
                Default: the account's, then the platform's.
            language: Language of the message. Default: the account's. Words:
                `constants.Language`.
            code_length: Digits of the code, 6 to 10. Default 6; 4 and 5 only where the
                deployment allows them.
            ttl_seconds: Life of the session, 60 to 600 seconds. Default 600; longer only where
                the deployment allows it.
            cascade: Legs to try, in order; each channel once. Default: the account's, from
                `channel` on. One leg = no cascade.
            purpose: What the challenge is for: two purposes are two challenges to one number.
            client_reference: The client's own reference, echoed in webhooks.
            autofill: What lets the phone fill the code in by itself.
            idempotency_key: Makes repeating the call harmless. Default: a new one, kept across
                the repeats of this call.
            timeout: Seconds that each try may take, in place of the client's.

        Returns:
            The session that was opened or resent.

        Raises:
            ApiError: The service refused. Beside the codes of any call:
                - `invalid_phone_number`: `to` is not an assigned mobile number in international
                  format.
                - `unsupported_destination`: The number is valid, but no configured operator
                  serves it.
                - `scenario_number`: A scenario number was used with a live key outside the
                  sandbox.
                - `sender_id_not_approved`: The sender name is not approved at the number's
                  operator.
                - `autofill_not_registered`: The site or app in `autofill` is not registered on
                  the account, or not approved yet; `field` names which. See `autofill` of the
                  account.
                - `no_route`: No leg of the cascade can be used for this number; no session was
                  made.
                - `session_differs`: A session for this number and purpose is pending and was
                  opened with something else; `field` names what differs.
                - `resend_too_soon`: The last send of this session was too short a time ago;
                  `resend_after` says when the next may come.
                - `too_many_sends`: The session has as many sends as it may have; `Retry-After`
                  says when it is over.
                - `number_rate_limited`: Too many codes were sent to this number.
                - `overloaded`: More is queued than can be sent in time: nothing was stored; try
                  again after `Retry-After`.
            NetworkError: No answer came.
        """
        return self._transport.call(
            operations.VERIFY_SEND,
            SendResponse.from_dict,
            {
                "to": to,
                "channel": channel,
                "sender_id": sender_id,
                "language": language,
                "code_length": code_length,
                "ttl_seconds": ttl_seconds,
                "cascade": cascade,
                "purpose": purpose,
                "client_reference": client_reference,
                "autofill": autofill,
            },
            idempotency_key=idempotency_key,
            timeout=timeout,
        )

    def check(
        self,
        *,
        code: str,
        id: Optional[str] = None,
        to: Optional[str] = None,
        purpose: Optional[str] = None,
        idempotency_key: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> CheckResponse:
        """Checks a code. Wrong, late and repeated codes are answers with `valid: false` and a
        reason, not errors.

        Give exactly one of `id` and `to`. The key needs the scope `verify`.

        Args:
            code: What the user typed. Spaces and dashes do not matter; Arabic-Indic and Persian
                digits are understood.
            id: Session the code is for.
            to: Number the code was sent to, in place of the session's id.
            purpose: Purpose of the session, with `to`.
            idempotency_key: Makes repeating the call harmless. Default: a new one, kept across
                the repeats of this call.
            timeout: Seconds that each try may take, in place of the client's.

        Returns:
            Whether the code was right. Only `valid: true` verifies; the HTTP status does not.

        Raises:
            ApiError: The service refused. Beside the codes of any call:
                - `invalid_code`: What was given is not digits of the right length; it costs no
                  try.
                - `invalid_phone_number`: `to` is not an assigned mobile number in international
                  format.
                - `session_not_found`: No such session in this account and mode.
                - `number_locked`: Too many wrong codes for this number, within the hour or in a
                  row.
            NetworkError: No answer came.
        """
        return self._transport.call(
            operations.VERIFY_CHECK,
            CheckResponse.from_dict,
            {"id": id, "to": to, "purpose": purpose, "code": code},
            idempotency_key=idempotency_key,
            timeout=timeout,
        )

    def get(
        self,
        id: str,
        *,
        timeout: Optional[float] = None,
    ) -> Session:
        """Gets a session with its whole timeline: every message, receipt, cost, and why the cascade
        moved or stopped.

        The key needs the scope `read`.

        Args:
            id: Identifies the session.
            timeout: Seconds that each try may take, in place of the client's.

        Returns:
            The session, with messages and timeline.

        Raises:
            ApiError: The service refused. Beside the codes of any call:
                - `session_not_found`: No such session in this account and mode.
            NetworkError: No answer came.
        """
        return self._transport.call(
            operations.VERIFY_GET,
            Session.from_dict,
            {"id": id},
            timeout=timeout,
        )

    def list(
        self,
        *,
        page_size: Optional[int] = None,
        page_token: Optional[str] = None,
        to: Optional[str] = None,
        status: Optional[str] = None,
        client_reference: Optional[str] = None,
        created_after: Optional[datetime] = None,
        created_before: Optional[datetime] = None,
        timeout: Optional[float] = None,
    ) -> PageIterator[Session]:
        """Lists sessions, newest first, without their messages and timelines.

        The key needs the scope `read`.

        Args:
            page_size: Sessions on one page, 1 to 100. Default 20.
            page_token: `next_page_token` of the page before, with the same filters.
            to: Only sessions with this number.
            status: Only sessions with this status. Words: `constants.SessionStatus`.
            client_reference: Only sessions with this reference.
            created_after: Only sessions opened at or after this time.
            created_before: Only sessions opened before this time.
            timeout: Seconds that each try may take, in place of the client's.

        Yields:
            The sessions, without messages and timelines.

        Raises:
            ApiError: The service refused. Beside the codes of any call:
                - `invalid_page_token`: The page token is not one of this list with these filters.
                - `invalid_phone_number`: `to` is not an assigned mobile number in international
                  format.
            NetworkError: No answer came.
        """
        return self._transport.pages(
            operations.VERIFY_LIST,
            page_reader("sessions", Session.from_dict),
            {
                "page_size": page_size,
                "page_token": page_token,
                "to": to,
                "status": status,
                "client_reference": client_reference,
                "created_after": created_after,
                "created_before": created_before,
            },
            timeout=timeout,
        )

    def cancel(
        self,
        id: str,
        *,
        timeout: Optional[float] = None,
    ) -> Session:
        """Cancels a pending session: nothing more is sent, its code is void. Canceling twice is the
        same as once.

        The key needs the scope `verify`.

        Args:
            id: Identifies the session.
            timeout: Seconds that each try may take, in place of the client's.

        Returns:
            The session, with messages and timeline.

        Raises:
            ApiError: The service refused. Beside the codes of any call:
                - `session_not_found`: No such session in this account and mode.
                - `session_not_pending`: The session is over.
            NetworkError: No answer came.
        """
        return self._transport.call(
            operations.VERIFY_CANCEL,
            Session.from_dict,
            {"id": id},
            timeout=timeout,
        )

    def watch(
        self,
        id: str,
        *,
        timeout: Optional[float] = None,
    ) -> Generator[WatchSessionResponse, None, None]:
        """Follows a session live: first as it is, then after every change, until it is over. gRPC,
        gRPC-web and Connect.

        The key needs the scope `read`.

        Args:
            id: Identifies the session.
            timeout: Seconds that each try may take, in place of the client's.

        Yields:
            The session as it is now.

        Raises:
            ApiError: The service refused. Beside the codes of any call:
                - `session_not_found`: No such session in this account and mode.
                - `too_many_watches`: The account already watches as many sessions as it may watch
                  at once. End a watch first.
            NetworkError: No answer came.
        """
        return self._transport.watch(
            operations.VERIFY_WATCH,
            WatchSessionResponse.from_dict,
            {"id": id},
            timeout=timeout,
        )


class AccountsResource:
    """Accounts and their settings. A test key sees and changes the settings of test mode."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(
        self,
        *,
        name: str,
        language: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> CreateAccountResponse:
        """Creates an account and issues its live and its test key; the keys are shown this once.

        The key is the admin token, or any where registration is open.

        Args:
            name: Name of the business.
            language: Language where a send gives none. Default `ar`. Words:
                `constants.Language`.
            timeout: Seconds that each try may take, in place of the client's.

        Returns:
            The account and its first keys.

        Raises:
            ApiError: The service refused. Beside the codes of any call:
                - `registration_closed`: Accounts are made by the operator of this deployment.
            NetworkError: No answer came.
        """
        return self._transport.call(
            operations.ACCOUNTS_CREATE,
            CreateAccountResponse.from_dict,
            {"name": name, "language": language},
            timeout=timeout,
        )

    def get(
        self,
        *,
        timeout: Optional[float] = None,
    ) -> Account:
        """Gets the account of the key.

        The key needs the scope `read`.

        Args:
            timeout: Seconds that each try may take, in place of the client's.

        Returns:
            The account of the key.

        Raises:
            ApiError: The service refused.
            NetworkError: No answer came.
        """
        return self._transport.call(
            operations.ACCOUNTS_GET,
            Account.from_dict,
            {},
            timeout=timeout,
        )

    def update(
        self,
        *,
        name: Optional[str] = None,
        language: Optional[str] = None,
        default_sender_id: Optional[str] = None,
        cascade: Optional[Sequence[Union[CascadeLeg, Mapping[str, Any]]]] = None,
        reset_cascade: Optional[bool] = None,
        in_country_only: Optional[bool] = None,
        autofill: Optional[Union[RegisterAutofill, Mapping[str, Any]]] = None,
        timeout: Optional[float] = None,
    ) -> Account:
        """Changes settings of the account; what is not given stays.

        The key needs the scope `manage`.

        Args:
            name: Name of the business.
            language: Language where a send gives none. Words: `constants.Language`.
            default_sender_id: Sender name where a send gives none; empty = the platform's.
            cascade: Legs where a send gives none, in order; each channel once. An empty list
                changes nothing: see `reset_cascade`.
            reset_cascade: Goes back to the deployment's legs.
            in_country_only: Channels whose messages leave the country are not used. Holds for
                both modes, so only a live key can change it.
            autofill: Sites and apps that sends may name in `autofill`. Both lists are replaced
                as a whole; values that stay keep their approval. A new value in live mode is
                `pending` until the operator of the service approves it.
            timeout: Seconds that each try may take, in place of the client's.

        Returns:
            The account.

        Raises:
            ApiError: The service refused. Beside the codes of any call:
                - `live_key_required`: A test key can't manage live resources.
            NetworkError: No answer came.
        """
        return self._transport.call(
            operations.ACCOUNTS_UPDATE,
            Account.from_dict,
            {
                "name": name,
                "language": language,
                "default_sender_id": default_sender_id,
                "cascade": cascade,
                "reset_cascade": reset_cascade,
                "in_country_only": in_country_only,
                "autofill": autofill,
            },
            timeout=timeout,
        )

    def get_measures(
        self,
        *,
        timeout: Optional[float] = None,
    ) -> GetMeasuresResponse:
        """Gets the two time-to-market measures, and what they are made from.

        The key needs the scope `read`.

        Args:
            timeout: Seconds that each try may take, in place of the client's.

        Returns:
            How long it took from an account to its first messages.

        Raises:
            ApiError: The service refused.
            NetworkError: No answer came.
        """
        return self._transport.call(
            operations.ACCOUNTS_GET_MEASURES,
            GetMeasuresResponse.from_dict,
            {},
            timeout=timeout,
        )


class ApiKeysResource:
    """API keys of the account."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(
        self,
        *,
        name: str,
        mode: Optional[str] = None,
        scopes: Optional[Sequence[str]] = None,
        expires_at: Optional[datetime] = None,
        timeout: Optional[float] = None,
    ) -> ApiKey:
        """Creates a key. Only this response shows its text. A key cannot grant scopes that it
        lacks, nor a longer life than its own.

        The key needs the scope `manage`.

        Args:
            name: Name that tells it apart from others.
            mode: Live or test. Default: that of the key that is used for the call. Words:
                `constants.Mode`.
            scopes: What it may do. Default: all that the key used for the call may. Words:
                `constants.Scope`.
            expires_at: When the key stops working: no later than the key that makes the call.
                Default: with that key, or never if that never expires.
            timeout: Seconds that each try may take, in place of the client's.

        Returns:
            The key, with its text in `key` this once.

        Raises:
            ApiError: The service refused. Beside the codes of any call:
                - `expires_too_late`: The new key would outlive the key that creates it.
                - `live_key_required`: A test key can't manage live resources.
                - `too_many_resources`: The account has as many of these as it may have.
            NetworkError: No answer came.
        """
        return self._transport.call(
            operations.API_KEYS_CREATE,
            ApiKey.from_dict,
            {"name": name, "mode": mode, "scopes": scopes, "expires_at": expires_at},
            timeout=timeout,
        )

    def list(
        self,
        *,
        page_size: Optional[int] = None,
        page_token: Optional[str] = None,
        include_revoked: Optional[bool] = None,
        timeout: Optional[float] = None,
    ) -> PageIterator[ApiKey]:
        """Lists keys, newest first: a live key sees those of both modes, a test key those of test
        mode.

        The key needs the scope `read`.

        Args:
            page_size: Keys on one page, 1 to 100. Default 20.
            page_token: `next_page_token` of the page before, with the same filters.
            include_revoked: Revoked keys too.
            timeout: Seconds that each try may take, in place of the client's.

        Yields:
            The keys, without their text.

        Raises:
            ApiError: The service refused. Beside the codes of any call:
                - `invalid_page_token`: The page token is not one of this list with these filters.
            NetworkError: No answer came.
        """
        return self._transport.pages(
            operations.API_KEYS_LIST,
            page_reader("api_keys", ApiKey.from_dict),
            {"page_size": page_size, "page_token": page_token, "include_revoked": include_revoked},
            timeout=timeout,
        )

    def revoke(
        self,
        id: str,
        *,
        timeout: Optional[float] = None,
    ) -> ApiKey:
        """Revokes a key everywhere within a second. Revoking twice is the same as once.

        The key needs the scope `manage`.

        Args:
            id: Identifies the key.
            timeout: Seconds that each try may take, in place of the client's.

        Returns:
            The revoked key.

        Raises:
            ApiError: The service refused. Beside the codes of any call:
                - `api_key_not_found`: No such key in this account and mode.
                - `last_manage_key`: The last live key with the scope `manage` can't be revoked.
            NetworkError: No answer came.
        """
        return self._transport.call(
            operations.API_KEYS_REVOKE,
            ApiKey.from_dict,
            {"id": id},
            timeout=timeout,
        )


class SenderIdsResource:
    """Custom sender names of the account."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(
        self,
        *,
        name: str,
        timeout: Optional[float] = None,
    ) -> SenderId:
        """Asks every operator for a sender name. Decisions are due within 72 hours.

        The key needs the scope `manage`.

        Args:
            name: 1 to 11 characters of the GSM alphabet.
            timeout: Seconds that each try may take, in place of the client's.

        Returns:
            The sender name, submitted to every operator.

        Raises:
            ApiError: The service refused. Beside the codes of any call:
                - `live_key_required`: A test key can't manage live resources.
                - `sender_id_exists`: The account has this sender name already.
                - `too_many_resources`: The account has as many of these as it may have.
            NetworkError: No answer came.
        """
        return self._transport.call(
            operations.SENDER_IDS_CREATE,
            SenderId.from_dict,
            {"name": name},
            timeout=timeout,
        )

    def get(
        self,
        id: str,
        *,
        timeout: Optional[float] = None,
    ) -> SenderId:
        """Gets a sender name and what each operator decided.

        The key needs the scope `read`.

        Args:
            id: Identifies the sender name.
            timeout: Seconds that each try may take, in place of the client's.

        Returns:
            The sender name.

        Raises:
            ApiError: The service refused. Beside the codes of any call:
                - `sender_id_not_found`: No such sender name in this account.
            NetworkError: No answer came.
        """
        return self._transport.call(
            operations.SENDER_IDS_GET,
            SenderId.from_dict,
            {"id": id},
            timeout=timeout,
        )

    def list(
        self,
        *,
        page_size: Optional[int] = None,
        page_token: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> PageIterator[SenderId]:
        """Lists sender names, newest first.

        The key needs the scope `read`.

        Args:
            page_size: Names on one page, 1 to 100. Default 20.
            page_token: `next_page_token` of the page before.
            timeout: Seconds that each try may take, in place of the client's.

        Yields:
            The sender names.

        Raises:
            ApiError: The service refused. Beside the codes of any call:
                - `invalid_page_token`: The page token is not one of this list with these filters.
            NetworkError: No answer came.
        """
        return self._transport.pages(
            operations.SENDER_IDS_LIST,
            page_reader("sender_ids", SenderId.from_dict),
            {"page_size": page_size, "page_token": page_token},
            timeout=timeout,
        )

    def decide(
        self,
        id: str,
        *,
        operator: str,
        status: str,
        reason: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> SenderId:
        """Records what an operator decided about a sender name. For the operator of the deployment.

        The key is the admin token of the deployment.

        Args:
            id: Identifies the sender name.
            operator: The operator's id.
            status: What it decided. Words: `constants.SenderDecision`.
            reason: What the operator gave as its reason.
            timeout: Seconds that each try may take, in place of the client's.

        Returns:
            The sender name.

        Raises:
            ApiError: The service refused. Beside the codes of any call:
                - `sender_id_not_found`: No such sender name in this account.
                - `operator_not_found`: No operator of that id is configured.
                - `already_decided`: What stands about the sender name does not allow this
                  decision.
            NetworkError: No answer came.
        """
        return self._transport.call(
            operations.SENDER_IDS_DECIDE,
            SenderId.from_dict,
            {"id": id, "operator": operator, "status": status, "reason": reason},
            timeout=timeout,
        )


class WabaResource:
    """The business's own account at the messaging platform. Once it is linked, the account's live
    messages on that channel go out from the business's own number. There is none in test mode.
    """

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create_signup(
        self,
        *,
        language: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> CreateWabaSignupResponse:
        """Starts an embedded signup: answers the address of a page where the business links its
        account. Good once, for ten minutes.

        The key needs the scope `manage`.

        Args:
            language: Language of the page. Default: the account's. Words: `constants.Language`.
            timeout: Seconds that each try may take, in place of the client's.

        Returns:
            The signup.

        Raises:
            ApiError: The service refused. Beside the codes of any call:
                - `live_key_required`: A test key can't manage live resources.
                - `waba_already_connected`: The account has linked a messaging-app account; unlink
                  it first.
                - `unimplemented`: This deployment does not offer the operation.
            NetworkError: No answer came.
        """
        return self._transport.call(
            operations.WABA_CREATE_SIGNUP,
            CreateWabaSignupResponse.from_dict,
            {"language": language},
            timeout=timeout,
        )

    def connect(
        self,
        *,
        waba_id: str,
        phone_number_id: str,
        code: Optional[str] = None,
        state: Optional[str] = None,
        access_token: Optional[str] = None,
        pin: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> Waba:
        """Links an account: with what an embedded signup ended with (`code`, `state`), or by hand
        (`access_token`). The steps at the platform are taken in the background; `status` tells
        how they stand.

        Give exactly one of `code` and `access_token`. The key needs the scope `manage`.

        Args:
            waba_id: The platform's id of the business's account.
            phone_number_id: The platform's id of the phone number, which is not the number.
            code: Embedded signup: the code it ended with. It lives 30 seconds.
            state: Embedded signup: the state of this account's CreateWabaSignup, unused and not
                ten minutes old.
            access_token: By hand: a system user's token for that account, one that does not
                expire.
            pin: The number's two-step verification PIN. Needed where the number has one already
                and is not registered with the Cloud API; else one is made.
            timeout: Seconds that each try may take, in place of the client's.

        Returns:
            The account being linked.

        Raises:
            ApiError: The service refused. Beside the codes of any call:
                - `live_key_required`: A test key can't manage live resources.
                - `invalid_signup_state`: The state of the signup is not one of this account, was
                  used already, or is older than ten minutes. Start the signup again.
                - `waba_already_connected`: The account has linked a messaging-app account; unlink
                  it first.
                - `phone_number_taken`: The phone number id belongs to another account of this
                  service.
                - `unimplemented`: This deployment does not offer the operation.
            NetworkError: No answer came.
        """
        return self._transport.call(
            operations.WABA_CONNECT,
            Waba.from_dict,
            {
                "waba_id": waba_id,
                "phone_number_id": phone_number_id,
                "code": code,
                "state": state,
                "access_token": access_token,
                "pin": pin,
            },
            timeout=timeout,
        )

    def get(
        self,
        *,
        timeout: Optional[float] = None,
    ) -> Waba:
        """Gets the linked account, the one being linked, or the one that was linked last.

        The key needs the scope `read`.

        Args:
            timeout: Seconds that each try may take, in place of the client's.

        Returns:
            The business's own account.

        Raises:
            ApiError: The service refused. Beside the codes of any call:
                - `waba_not_found`: The account has never linked a messaging-app account; in test
                  mode there is none.
            NetworkError: No answer came.
        """
        return self._transport.call(
            operations.WABA_GET,
            Waba.from_dict,
            {},
            timeout=timeout,
        )

    def disconnect(
        self,
        *,
        timeout: Optional[float] = None,
    ) -> Waba:
        """Unlinks the account: from now on messages go out from the platform's number. Its secrets
        are forgotten.

        The key needs the scope `manage`.

        Args:
            timeout: Seconds that each try may take, in place of the client's.

        Returns:
            What was linked.

        Raises:
            ApiError: The service refused. Beside the codes of any call:
                - `live_key_required`: A test key can't manage live resources.
                - `waba_not_found`: The account has never linked a messaging-app account; in test
                  mode there is none.
            NetworkError: No answer came.
        """
        return self._transport.call(
            operations.WABA_DISCONNECT,
            Waba.from_dict,
            {},
            timeout=timeout,
        )


class WebhookEndpointsResource:
    """Webhook endpoints of the account; those of live and of test mode are apart."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(
        self,
        *,
        url: str,
        description: Optional[str] = None,
        event_types: Optional[Sequence[str]] = None,
        timeout: Optional[float] = None,
    ) -> WebhookEndpoint:
        """Creates an endpoint; the secret its callbacks are signed with is shown this once.

        The key needs the scope `manage`.

        Args:
            url: Address that callbacks are posted to. Private, loopback and link-local ones are
                refused.
            description: The client's own words about it.
            event_types: Types of event it gets. Default: every type, and those to come. Words:
                `constants.EventType`.
            timeout: Seconds that each try may take, in place of the client's.

        Returns:
            The endpoint, with its secret this once.

        Raises:
            ApiError: The service refused. Beside the codes of any call:
                - `invalid_webhook_url`: The address of a webhook endpoint is not allowed, e.g. a
                  private one.
                - `too_many_resources`: The account has as many of these as it may have.
            NetworkError: No answer came.
        """
        return self._transport.call(
            operations.WEBHOOK_ENDPOINTS_CREATE,
            WebhookEndpoint.from_dict,
            {"url": url, "description": description, "event_types": event_types},
            timeout=timeout,
        )

    def get(
        self,
        id: str,
        *,
        timeout: Optional[float] = None,
    ) -> WebhookEndpoint:
        """Gets an endpoint.

        The key needs the scope `read`.

        Args:
            id: Identifies the endpoint.
            timeout: Seconds that each try may take, in place of the client's.

        Returns:
            The endpoint.

        Raises:
            ApiError: The service refused. Beside the codes of any call:
                - `webhook_endpoint_not_found`: No such webhook endpoint in this account and mode.
            NetworkError: No answer came.
        """
        return self._transport.call(
            operations.WEBHOOK_ENDPOINTS_GET,
            WebhookEndpoint.from_dict,
            {"id": id},
            timeout=timeout,
        )

    def list(
        self,
        *,
        page_size: Optional[int] = None,
        page_token: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> PageIterator[WebhookEndpoint]:
        """Lists endpoints, newest first.

        The key needs the scope `read`.

        Args:
            page_size: Endpoints on one page, 1 to 100. Default 20.
            page_token: `next_page_token` of the page before.
            timeout: Seconds that each try may take, in place of the client's.

        Yields:
            The endpoints.

        Raises:
            ApiError: The service refused. Beside the codes of any call:
                - `invalid_page_token`: The page token is not one of this list with these filters.
            NetworkError: No answer came.
        """
        return self._transport.pages(
            operations.WEBHOOK_ENDPOINTS_LIST,
            page_reader("webhook_endpoints", WebhookEndpoint.from_dict),
            {"page_size": page_size, "page_token": page_token},
            timeout=timeout,
        )

    def update(
        self,
        id: str,
        *,
        url: Optional[str] = None,
        description: Optional[str] = None,
        event_types: Optional[Sequence[str]] = None,
        all_event_types: Optional[bool] = None,
        enabled: Optional[bool] = None,
        timeout: Optional[float] = None,
    ) -> WebhookEndpoint:
        """Changes an endpoint; what is not given stays.

        Give at most one of `event_types` and `all_event_types`. The key needs the scope `manage`.

        Args:
            id: Identifies the endpoint.
            url: Address that callbacks are posted to.
            description: The client's own words about it.
            event_types: Types of event it gets. An empty list changes nothing: see
                `all_event_types`. Words: `constants.EventType`.
            all_event_types: Sends every type of event to it, and those to come.
            enabled: Switches it on or off. Switching on forgets past failures.
            timeout: Seconds that each try may take, in place of the client's.

        Returns:
            The endpoint.

        Raises:
            ApiError: The service refused. Beside the codes of any call:
                - `invalid_webhook_url`: The address of a webhook endpoint is not allowed, e.g. a
                  private one.
                - `too_many_resources`: The account has as many of these as it may have.
                - `webhook_endpoint_not_found`: No such webhook endpoint in this account and mode.
            NetworkError: No answer came.
        """
        return self._transport.call(
            operations.WEBHOOK_ENDPOINTS_UPDATE,
            WebhookEndpoint.from_dict,
            {
                "id": id,
                "url": url,
                "description": description,
                "event_types": event_types,
                "all_event_types": all_event_types,
                "enabled": enabled,
            },
            timeout=timeout,
        )

    def delete(
        self,
        id: str,
        *,
        timeout: Optional[float] = None,
    ) -> DeleteWebhookEndpointResponse:
        """Deletes an endpoint, with what was still to be delivered to it.

        The key needs the scope `manage`.

        Args:
            id: Identifies the endpoint.
            timeout: Seconds that each try may take, in place of the client's.

        Returns:
            Nothing: the endpoint is gone.

        Raises:
            ApiError: The service refused. Beside the codes of any call:
                - `webhook_endpoint_not_found`: No such webhook endpoint in this account and mode.
            NetworkError: No answer came.
        """
        return self._transport.call(
            operations.WEBHOOK_ENDPOINTS_DELETE,
            DeleteWebhookEndpointResponse.from_dict,
            {"id": id},
            timeout=timeout,
        )

    def rotate_secret(
        self,
        id: str,
        *,
        keep_previous_seconds: Optional[int] = None,
        timeout: Optional[float] = None,
    ) -> WebhookEndpoint:
        """Makes a new secret, shown this once. Callbacks are signed with both for 24 hours.

        The key needs the scope `manage`.

        Args:
            id: Identifies the endpoint.
            keep_previous_seconds: How long callbacks are signed with the old secret too, in
                seconds. Default 86400; 0 = not any more.
            timeout: Seconds that each try may take, in place of the client's.

        Returns:
            The endpoint, with its new secret this once.

        Raises:
            ApiError: The service refused. Beside the codes of any call:
                - `webhook_endpoint_not_found`: No such webhook endpoint in this account and mode.
            NetworkError: No answer came.
        """
        return self._transport.call(
            operations.WEBHOOK_ENDPOINTS_ROTATE_SECRET,
            WebhookEndpoint.from_dict,
            {"id": id, "keep_previous_seconds": keep_previous_seconds},
            timeout=timeout,
        )

    def list_deliveries(
        self,
        id: str,
        *,
        page_size: Optional[int] = None,
        page_token: Optional[str] = None,
        status: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> PageIterator[WebhookDelivery]:
        """Lists what was or will be delivered to an endpoint, newest first.

        The key needs the scope `read`.

        Args:
            id: Identifies the endpoint.
            page_size: Deliveries on one page, 1 to 100. Default 20.
            page_token: `next_page_token` of the page before, with the same filters.
            status: Only deliveries that stand so. Words: `constants.WebhookDeliveryStatus`.
            timeout: Seconds that each try may take, in place of the client's.

        Yields:
            The deliveries.

        Raises:
            ApiError: The service refused. Beside the codes of any call:
                - `invalid_page_token`: The page token is not one of this list with these filters.
                - `webhook_endpoint_not_found`: No such webhook endpoint in this account and mode.
            NetworkError: No answer came.
        """
        return self._transport.pages(
            operations.WEBHOOK_ENDPOINTS_LIST_DELIVERIES,
            page_reader("deliveries", WebhookDelivery.from_dict),
            {"id": id, "page_size": page_size, "page_token": page_token, "status": status},
            timeout=timeout,
        )

    def redeliver(
        self,
        id: str,
        event_id: str,
        *,
        timeout: Optional[float] = None,
    ) -> WebhookDelivery:
        """Delivers an event once more, with the same id and body.

        The key needs the scope `manage`.

        Args:
            id: Identifies the endpoint.
            event_id: Identifies the event.
            timeout: Seconds that each try may take, in place of the client's.

        Returns:
            The delivery.

        Raises:
            ApiError: The service refused. Beside the codes of any call:
                - `endpoint_disabled`: The webhook endpoint is switched off; switch it on first.
                - `webhook_delivery_not_found`: The event was not sent to this endpoint, or too
                  long ago.
                - `webhook_endpoint_not_found`: No such webhook endpoint in this account and mode.
            NetworkError: No answer came.
        """
        return self._transport.call(
            operations.WEBHOOK_ENDPOINTS_REDELIVER,
            WebhookDelivery.from_dict,
            {"id": id, "event_id": event_id},
            timeout=timeout,
        )

    def test(
        self,
        id: str,
        *,
        event_type: Optional[str] = None,
        timeout: Optional[float] = None,
    ) -> TestWebhookEndpointResponse:
        """Sends an example event to the endpoint now, once, and tells what came back.

        The key needs the scope `manage`.

        Args:
            id: Identifies the endpoint.
            event_type: Type of the example event. Default `receipt.updated`. Words:
                `constants.EventType`.
            timeout: Seconds that each try may take, in place of the client's.

        Returns:
            What came back.

        Raises:
            ApiError: The service refused. Beside the codes of any call:
                - `invalid_webhook_url`: The address of a webhook endpoint is not allowed, e.g. a
                  private one.
                - `webhook_endpoint_not_found`: No such webhook endpoint in this account and mode.
            NetworkError: No answer came.
        """
        return self._transport.call(
            operations.WEBHOOK_ENDPOINTS_TEST,
            TestWebhookEndpointResponse.from_dict,
            {"id": id, "event_type": event_type},
            timeout=timeout,
        )


class Resources:
    """Every resource, by the name it has on a client."""

    def __init__(self, transport: Transport) -> None:
        self.verify = VerifyResource(transport)
        """Verifies that somebody controls a phone number."""
        self.accounts = AccountsResource(transport)
        """Accounts and their settings. A test key sees and changes the settings of test mode."""
        self.api_keys = ApiKeysResource(transport)
        """API keys of the account."""
        self.sender_ids = SenderIdsResource(transport)
        """Custom sender names of the account."""
        self.waba = WabaResource(transport)
        """The business's own account at the messaging platform. Once it is linked, the account's
        live messages on that channel go out from the business's own number. There is none in
        test mode.
        """
        self.webhook_endpoints = WebhookEndpointsResource(transport)
        """Webhook endpoints of the account; those of live and of test mode are apart."""
