<?php

// Made from the contract by sdks/codegen/src/php.ts: run `npm run generate`, do not edit.

declare(strict_types=1);

namespace Ramz\Value;

/**
 * How one message stands.
 *
 * Answers may hold words that are newer than this list.
 */
final class MessageStatus
{
    /** Waiting for a place on the wire. */
    public const QUEUED = 'queued';

    /** On its way to the carrier. */
    public const SUBMITTING = 'submitting';

    /** The carrier took it. */
    public const SUBMITTED = 'submitted';

    /** It reached the phone. */
    public const DELIVERED = 'delivered';

    /** The carrier could not deliver it. */
    public const UNDELIVERED = 'undelivered';

    /** The carrier refused it. */
    public const REJECTED = 'rejected';

    /** Its validity ended at the carrier. */
    public const EXPIRED = 'expired';

    /** It may or may not have been sent; it is never sent again on this channel. */
    public const UNKNOWN = 'unknown';

    /** Taken back before it was sent. */
    public const WITHDRAWN = 'withdrawn';

    /** Delivered, and read. */
    public const READ = 'read';

    /** Delivered: the call was answered and the code heard. */
    public const ANSWERED = 'answered';

    /** Every word that this version knows. */
    public const KNOWN = [
        self::QUEUED,
        self::SUBMITTING,
        self::SUBMITTED,
        self::DELIVERED,
        self::UNDELIVERED,
        self::REJECTED,
        self::EXPIRED,
        self::UNKNOWN,
        self::WITHDRAWN,
        self::READ,
        self::ANSWERED,
    ];
}
