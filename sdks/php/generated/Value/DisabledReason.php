<?php

// Made from the contract by sdks/codegen/src/php.ts: run `npm run generate`, do not edit.

declare(strict_types=1);

namespace Ramz\Value;

/**
 * Why a webhook endpoint is switched off.
 *
 * Answers may hold words that are newer than this list.
 */
final class DisabledReason
{
    /** Nothing but failure for days. */
    public const FAILING = 'failing';

    /** It answered 410. */
    public const GONE = 'gone';

    /** It was switched off by an update. */
    public const BY_CLIENT = 'by_client';

    /** Every word that this version knows. */
    public const KNOWN = [
        self::FAILING,
        self::GONE,
        self::BY_CLIENT,
    ];
}
