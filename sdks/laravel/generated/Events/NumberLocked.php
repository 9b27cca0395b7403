<?php

// Made from the contract by sdks/codegen/src/laravel.ts: run `npm run generate`, do not edit.

declare(strict_types=1);

namespace Ramz\Laravel\Events;

use Ramz\Model\NumberEvent;
use Ramz\Model\WebhookEvent;

/**
 * A number was locked after too many wrong codes: its checks are refused. Sent once per lock.
 *
 * Webhook `number.locked`.
 */
final class NumberLocked
{
    /**
     * @param WebhookEvent $webhook The event whole: its id, which is the same on every retry, account, mode and time.
     * @param NumberEvent $data Its data.
     */
    public function __construct(
        public readonly WebhookEvent $webhook,
        public readonly NumberEvent $data,
    ) {
    }
}
