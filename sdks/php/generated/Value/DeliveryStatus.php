<?php

// Made from the contract by sdks/codegen/src/php.ts: run `npm run generate`, do not edit.

declare(strict_types=1);

namespace Ramz\Value;

/**
 * Whether a code has reached the phone, beside the session's status.
 *
 * Answers may hold words that are newer than this list.
 */
final class DeliveryStatus
{
    /** The cascade is under way. */
    public const SENDING = 'sending';

    /** A channel reported delivery; no further leg is started. */
    public const DELIVERED = 'delivered';

    /** Every leg of the run ended without a delivered receipt. A late message can still verify. */
    public const EXHAUSTED = 'exhausted';

    /** Every word that this version knows. */
    public const KNOWN = [
        self::SENDING,
        self::DELIVERED,
        self::EXHAUSTED,
    ];
}
