<?php

// Made from the contract by sdks/codegen/src/php.ts: run `npm run generate`, do not edit.

declare(strict_types=1);

namespace Ramz\Value;

/**
 * Why a code is not valid.
 *
 * Answers may hold words that are newer than this list.
 */
final class CheckReason
{
    /** It is not the session's code. */
    public const INCORRECT_CODE = 'incorrect_code';

    /** The session's time ran out. */
    public const EXPIRED = 'expired';

    /** Every try is used up. */
    public const TOO_MANY_ATTEMPTS = 'too_many_attempts';

    /** A right code was given before; it counts once. */
    public const ALREADY_VERIFIED = 'already_verified';

    /** The session was canceled. */
    public const CANCELED = 'canceled';

    /** Every word that this version knows. */
    public const KNOWN = [
        self::INCORRECT_CODE,
        self::EXPIRED,
        self::TOO_MANY_ATTEMPTS,
        self::ALREADY_VERIFIED,
        self::CANCELED,
    ];
}
