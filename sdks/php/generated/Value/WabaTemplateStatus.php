<?php

// Made from the contract by sdks/codegen/src/php.ts: run `npm run generate`, do not edit.

declare(strict_types=1);

namespace Ramz\Value;

/**
 * How a template stands at the platform.
 *
 * Answers may hold words that are newer than this list.
 */
final class WabaTemplateStatus
{
    /** Under review. */
    public const PENDING = 'pending';

    /** It can be used. */
    public const APPROVED = 'approved';

    /** The review rejected it. */
    public const REJECTED = 'rejected';

    /** Switched off for a while, because of complaints. */
    public const PAUSED = 'paused';

    /** Switched off. */
    public const DISABLED = 'disabled';

    /** Every word that this version knows. */
    public const KNOWN = [
        self::PENDING,
        self::APPROVED,
        self::REJECTED,
        self::PAUSED,
        self::DISABLED,
    ];
}
