<?php

// Made from the contract by sdks/codegen/src/php.ts: run `npm run generate`, do not edit.

declare(strict_types=1);

namespace Ramz\Value;

/**
 * How a verification stands.
 *
 * Answers may hold words that are newer than this list.
 */
final class SessionStatus
{
    /** A code can still be checked. */
    public const PENDING = 'pending';

    /** The right code was given in time. */
    public const VERIFIED = 'verified';

    /** Its time ran out. */
    public const EXPIRED = 'expired';

    /** It was canceled; see `status_reason`. */
    public const CANCELED = 'canceled';

    /** Too many wrong codes. */
    public const FAILED = 'failed';

    /** Every word that this version knows. */
    public const KNOWN = [
        self::PENDING,
        self::VERIFIED,
        self::EXPIRED,
        self::CANCELED,
        self::FAILED,
    ];
}
