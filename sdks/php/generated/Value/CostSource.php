<?php

// Made from the contract by sdks/codegen/src/php.ts: run `npm run generate`, do not edit.

declare(strict_types=1);

namespace Ramz\Value;

/**
 * Who says what a message cost.
 *
 * Answers may hold words that are newer than this list.
 */
final class CostSource
{
    /** The carrier, in its receipt; wins over the tariff. */
    public const OPERATOR = 'operator';

    /** The configured rate card. */
    public const TARIFF = 'tariff';

    /** Every word that this version knows. */
    public const KNOWN = [
        self::OPERATOR,
        self::TARIFF,
    ];
}
