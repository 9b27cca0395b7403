<?php

// Made from the contract by sdks/codegen/src/php.ts: run `npm run generate`, do not edit.

declare(strict_types=1);

namespace Ramz\Value;

/**
 * What a key is for; nothing of one mode is visible from the other.
 *
 * Answers may hold words that are newer than this list.
 */
final class Mode
{
    /** Messages are sent and cost money. */
    public const LIVE = 'live';

    /** Nothing is sent, nothing costs anything; the code is all zeros. */
    public const TEST = 'test';

    /** Every word that this version knows. */
    public const KNOWN = [
        self::LIVE,
        self::TEST,
    ];
}
