<?php

declare(strict_types=1);

namespace Ramz\Laravel\Events;

use Ramz\Model\WebhookEvent;

/** A genuine webhook of any type, those included that this version has no class for. */
final class WebhookReceived
{
    public function __construct(public readonly WebhookEvent $webhook)
    {
    }
}
