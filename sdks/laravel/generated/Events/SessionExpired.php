<?php

// Made from the contract by sdks/codegen/src/laravel.ts: run `npm run generate`, do not edit.

declare(strict_types=1);

namespace Ramz\Laravel\Events;

use Ramz\Model\SessionEvent;
use Ramz\Model\WebhookEvent;

/**
 * A session's time ran out.
 *
 * Webhook `session.expired`.
 */
final class SessionExpired
{
    /**
     * @param WebhookEvent $webhook The event whole: its id, which is the same on every retry, account, mode and time.
     * @param SessionEvent $data Its data.
     */
    public function __construct(
        public readonly WebhookEvent $webhook,
        public readonly SessionEvent $data,
    ) {
    }
}
