<?php

// Made from the contract by sdks/codegen/src/php.ts: run `npm run generate`, do not edit.

declare(strict_types=1);

namespace Ramz\Value;

/**
 * What can be decided about a sender name at one operator.
 *
 * Answers may hold words that are newer than this list.
 */
final class SenderDecision
{
    /** The name can be used for numbers of that operator. */
    public const APPROVED = 'approved';

    /** The operator refused it. */
    public const REJECTED = 'rejected';

    /** The operator took its approval back. */
    public const REVOKED = 'revoked';

    /** Every word that this version knows. */
    public const KNOWN = [
        self::APPROVED,
        self::REJECTED,
        self::REVOKED,
    ];
}
