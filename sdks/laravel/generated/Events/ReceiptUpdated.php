<?php

// Made from the contract by sdks/codegen/src/laravel.ts: run `npm run generate`, do not edit.

declare(strict_types=1);

namespace Ramz\Laravel\Events;

use Ramz\Model\Receipt;
use Ramz\Model\WebhookEvent;

/**
 * A carrier's receipt came, or the cost of a message was corrected.
 *
 * Webhook `receipt.updated`.
 */
final class ReceiptUpdated
{
    /**
     * @param WebhookEvent $webhook The event whole: its id, which is the same on every retry, account, mode and time.
     * @param Receipt $data Its data.
     */
    public function __construct(
        public readonly WebhookEvent $webhook,
        public readonly Receipt $data,
    ) {
    }
}
