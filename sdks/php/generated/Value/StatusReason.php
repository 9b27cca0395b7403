<?php

// Made from the contract by sdks/codegen/src/php.ts: run `npm run generate`, do not edit.

declare(strict_types=1);

namespace Ramz\Value;

/**
 * Why a session is failed or canceled.
 *
 * Answers may hold words that are newer than this list.
 */
final class StatusReason
{
    /** Every try at the code is used up. */
    public const TOO_MANY_ATTEMPTS = 'too_many_attempts';

    /** The cancel operation was called. */
    public const CANCELED_BY_CLIENT = 'canceled_by_client';

    /** A new send came with too little life left, and opened a new session in its place. */
    public const REPLACED = 'replaced';

    /** Every word that this version knows. */
    public const KNOWN = [
        self::TOO_MANY_ATTEMPTS,
        self::CANCELED_BY_CLIENT,
        self::REPLACED,
    ];
}
