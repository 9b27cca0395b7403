<?php

// Made from the contract by sdks/codegen/src/laravel.ts: run `npm run generate`, do not edit.

declare(strict_types=1);

namespace Ramz\Laravel\Events;

use Ramz\Model\SenderIdEvent;
use Ramz\Model\WebhookEvent;

/**
 * An operator decided about a sender name.
 *
 * Webhook `sender_id.decided`.
 */
final class SenderIdDecided
{
    /**
     * @param WebhookEvent $webhook The event whole: its id, which is the same on every retry, account, mode and time.
     * @param SenderIdEvent $data Its data.
     */
    public function __construct(
        public readonly WebhookEvent $webhook,
        public readonly SenderIdEvent $data,
    ) {
    }
}
