<?php

// Made from the contract by sdks/codegen/src/php.ts: run `npm run generate`, do not edit.

declare(strict_types=1);

namespace Ramz\Value;

/**
 * What a webhook tells.
 *
 * Answers may hold words that are newer than this list.
 */
final class EventType
{
    /** A carrier's receipt came, or the cost of a message was corrected. */
    public const RECEIPT_UPDATED = 'receipt.updated';

    /** A carrier took a message. */
    public const MESSAGE_SUBMITTED = 'message.submitted';

    /** A message failed without an operator's receipt saying so. */
    public const MESSAGE_FAILED = 'message.failed';

    /** The right code was given. */
    public const SESSION_VERIFIED = 'session.verified';

    /** A session's time ran out. */
    public const SESSION_EXPIRED = 'session.expired';

    /** A session was canceled, or replaced by a new one. */
    public const SESSION_CANCELED = 'session.canceled';

    /** Every try at the code was used up. */
    public const SESSION_FAILED = 'session.failed';

    /** Every leg of a run ended without a delivered receipt; once per run. */
    public const SESSION_DELIVERY_EXHAUSTED = 'session.delivery_exhausted';

    /** A number was locked after too many wrong codes: its checks are refused. Sent once per lock. */
    public const NUMBER_LOCKED = 'number.locked';

    /** An operator decided about a sender name. */
    public const SENDER_ID_DECIDED = 'sender_id.decided';

    /** The business's own messaging-app account was linked. */
    public const WABA_CONNECTED = 'waba.connected';

    /** The business's own messaging-app account was unlinked, stopped working, or could not be linked. */
    public const WABA_DISCONNECTED = 'waba.disconnected';

    /** One of the account's webhook endpoints was switched off; told to the others. */
    public const ENDPOINT_DISABLED = 'endpoint.disabled';

    /** Every word that this version knows. */
    public const KNOWN = [
        self::RECEIPT_UPDATED,
        self::MESSAGE_SUBMITTED,
        self::MESSAGE_FAILED,
        self::SESSION_VERIFIED,
        self::SESSION_EXPIRED,
        self::SESSION_CANCELED,
        self::SESSION_FAILED,
        self::SESSION_DELIVERY_EXHAUSTED,
        self::NUMBER_LOCKED,
        self::SENDER_ID_DECIDED,
        self::WABA_CONNECTED,
        self::WABA_DISCONNECTED,
        self::ENDPOINT_DISABLED,
    ];
}
