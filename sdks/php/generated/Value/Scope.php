<?php

// Made from the contract by sdks/codegen/src/php.ts: run `npm run generate`, do not edit.

declare(strict_types=1);

namespace Ramz\Value;

/**
 * What a key may do.
 *
 * Answers may hold words that are newer than this list.
 */
final class Scope
{
    /** Send and check codes, cancel sessions. */
    public const VERIFY = 'verify';

    /** Read sessions, settings, sender names and webhook deliveries. */
    public const READ = 'read';

    /** Change settings, keys, webhook endpoints and sender names. */
    public const MANAGE = 'manage';

    /** Every word that this version knows. */
    public const KNOWN = [
        self::VERIFY,
        self::READ,
        self::MANAGE,
    ];
}
