<?php

// Made from the contract by sdks/codegen/src/laravel.ts: run `npm run generate`, do not edit.

declare(strict_types=1);

namespace Ramz\Laravel\Events;

use Ramz\Model\EndpointEvent;
use Ramz\Model\WebhookEvent;

/**
 * One of the account's webhook endpoints was switched off; told to the others.
 *
 * Webhook `endpoint.disabled`.
 */
final class EndpointDisabled
{
    /**
     * @param WebhookEvent $webhook The event whole: its id, which is the same on every retry, account, mode and time.
     * @param EndpointEvent $data Its data.
     */
    public function __construct(
        public readonly WebhookEvent $webhook,
        public readonly EndpointEvent $data,
    ) {
    }
}
