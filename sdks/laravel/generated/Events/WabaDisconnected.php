<?php

// Made from the contract by sdks/codegen/src/laravel.ts: run `npm run generate`, do not edit.

declare(strict_types=1);

namespace Ramz\Laravel\Events;

use Ramz\Model\WabaEvent;
use Ramz\Model\WebhookEvent;

/**
 * The business's own messaging-app account was unlinked, stopped working, or could not be linked.
 *
 * Webhook `waba.disconnected`.
 */
final class WabaDisconnected
{
    /**
     * @param WebhookEvent $webhook The event whole: its id, which is the same on every retry, account, mode and time.
     * @param WabaEvent $data Its data.
     */
    public function __construct(
        public readonly WebhookEvent $webhook,
        public readonly WabaEvent $data,
    ) {
    }
}
