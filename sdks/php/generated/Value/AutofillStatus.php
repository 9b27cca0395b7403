<?php

// Made from the contract by sdks/codegen/src/php.ts: run `npm run generate`, do not edit.

declare(strict_types=1);

namespace Ramz\Value;

/**
 * State of a site or app that is registered for autofill.
 *
 * Answers may hold words that are newer than this list.
 */
final class AutofillStatus
{
    /** The operator of the service has not approved it: live sends cannot name it. */
    public const PENDING = 'pending';

    /** Sends can name it. */
    public const APPROVED = 'approved';

    /** Every word that this version knows. */
    public const KNOWN = [
        self::PENDING,
        self::APPROVED,
    ];
}
