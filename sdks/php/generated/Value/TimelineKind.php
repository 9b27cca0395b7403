<?php

// Made from the contract by sdks/codegen/src/php.ts: run `npm run generate`, do not edit.

declare(strict_types=1);

namespace Ramz\Value;

/**
 * What an entry of the timeline tells.
 *
 * Answers may hold words that are newer than this list.
 */
final class TimelineKind
{
    /** The first send. */
    public const SESSION_OPENED = 'session_opened';

    /** A further send: a new run starts. */
    public const RESEND_REQUESTED = 'resend_requested';

    /** A leg of the cascade began, and its clock with it. */
    public const LEG_STARTED = 'leg_started';

    /** A leg was not taken (value set `skip_reason`). */
    public const LEG_SKIPPED = 'leg_skipped';

    /** No delivered receipt came in time. */
    public const LEG_TIMED_OUT = 'leg_timed_out';

    /** The carrier took the message. */
    public const MESSAGE_SUBMITTED = 'message_submitted';

    /** Whether the carrier took the message is not known. */
    public const MESSAGE_UNKNOWN = 'message_unknown';

    /** The message was refused, or could not be sent. */
    public const MESSAGE_FAILED = 'message_failed';

    /** The message was taken back before it was sent. */
    public const MESSAGE_WITHDRAWN = 'message_withdrawn';

    /**
     * The sender was refused, a name by the operator or the business's own number by the platform; the message goes
     * out once more under the default one.
     */
    public const SENDER_FALLBACK = 'sender_fallback';

    /** A carrier's receipt came; its status is the reason. */
    public const RECEIPT_RECEIVED = 'receipt_received';

    /** The code reached the phone: no further leg is started. */
    public const DELIVERY_DELIVERED = 'delivery_delivered';

    /** No leg of the run is left. */
    public const DELIVERY_EXHAUSTED = 'delivery_exhausted';

    /** A code was checked; whether it was right is the reason. */
    public const CODE_CHECKED = 'code_checked';

    /** The right code was given. */
    public const SESSION_VERIFIED = 'session_verified';

    /** Its time ran out. */
    public const SESSION_EXPIRED = 'session_expired';

    /** It was canceled (value set `status_reason`). */
    public const SESSION_CANCELED = 'session_canceled';

    /** It failed (value set `status_reason`). */
    public const SESSION_FAILED = 'session_failed';

    /** Every word that this version knows. */
    public const KNOWN = [
        self::SESSION_OPENED,
        self::RESEND_REQUESTED,
        self::LEG_STARTED,
        self::LEG_SKIPPED,
        self::LEG_TIMED_OUT,
        self::MESSAGE_SUBMITTED,
        self::MESSAGE_UNKNOWN,
        self::MESSAGE_FAILED,
        self::MESSAGE_WITHDRAWN,
        self::SENDER_FALLBACK,
        self::RECEIPT_RECEIVED,
        self::DELIVERY_DELIVERED,
        self::DELIVERY_EXHAUSTED,
        self::CODE_CHECKED,
        self::SESSION_VERIFIED,
        self::SESSION_EXPIRED,
        self::SESSION_CANCELED,
        self::SESSION_FAILED,
    ];
}
