<?php

// Made from the contract by sdks/codegen/src/php.ts: run `npm run generate`, do not edit.

declare(strict_types=1);

namespace Ramz\Value;

/**
 * How the delivery of one event to one endpoint stands.
 *
 * Answers may hold words that are newer than this list.
 */
final class WebhookDeliveryStatus
{
    /** It will be tried (again). */
    public const PENDING = 'pending';

    /** The endpoint answered 2xx. */
    public const DELIVERED = 'delivered';

    /** Every try failed; it can be redelivered for 30 days. */
    public const FAILED = 'failed';

    /** Every word that this version knows. */
    public const KNOWN = [
        self::PENDING,
        self::DELIVERED,
        self::FAILED,
    ];
}
