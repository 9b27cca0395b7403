<?php

// Made from the contract by sdks/codegen/src/php.ts: run `npm run generate`, do not edit.

declare(strict_types=1);

namespace Ramz\Value;

/**
 * Who sends the bill for a message.
 *
 * Answers may hold words that are newer than this list.
 */
final class BilledBy
{
    /** This service. */
    public const SERVICE = 'service';

    /** The messaging platform, to the business's own account. */
    public const PLATFORM = 'platform';

    /** Every word that this version knows. */
    public const KNOWN = [
        self::SERVICE,
        self::PLATFORM,
    ];
}
