<?php

// Made from the contract by sdks/codegen/src/laravel.ts: run `npm run generate`, do not edit.

declare(strict_types=1);

namespace Ramz\Laravel\Events;

use Ramz\Model\MessageEvent;
use Ramz\Model\WebhookEvent;

/**
 * A carrier took a message.
 *
 * Webhook `message.submitted`.
 */
final class MessageSubmitted
{
    /**
     * @param WebhookEvent $webhook The event whole: its id, which is the same on every retry, account, mode and time.
     * @param MessageEvent $data Its data.
     */
    public function __construct(
        public readonly WebhookEvent $webhook,
        public readonly MessageEvent $data,
    ) {
    }
}
