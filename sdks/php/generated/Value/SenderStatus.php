<?php

// Made from the contract by sdks/codegen/src/php.ts: run `npm run generate`, do not edit.

declare(strict_types=1);

namespace Ramz\Value;

/**
 * How a sender name stands at one operator.
 *
 * Answers may hold words that are newer than this list.
 */
final class SenderStatus
{
    /** The operator has not decided yet. */
    public const SUBMITTED = 'submitted';

    /** The name can be used for numbers of that operator. */
    public const APPROVED = 'approved';

    /** The operator refused it. */
    public const REJECTED = 'rejected';

    /** The operator took its approval back. */
    public const REVOKED = 'revoked';

    /** Every word that this version knows. */
    public const KNOWN = [
        self::SUBMITTED,
        self::APPROVED,
        self::REJECTED,
        self::REVOKED,
    ];
}
