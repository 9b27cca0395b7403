<?php

declare(strict_types=1);

namespace Ramz\Testing;

use Ramz\Model\WebhookEvent;
use Ramz\Webhooks;

/** A webhook as the service would send it, for tests of what receives them. */
final class SignedWebhook
{
    /** @param array<string, string> $headers */
    private function __construct(
        public readonly string $body,
        public readonly array $headers,
    ) {
    }

    /**
     * @param string $type Type of the event, e.g. `session.verified`: {@see \Ramz\Value\EventType}.
     * @param array<string, mixed>|\JsonSerializable $data Its data, e.g. a {@see \Ramz\Model\SessionEvent}.
     * @param string|list<string> $secrets The endpoint's secret.
     * @param int|null $timestamp Unix time. Default: that of the clock.
     */
    public static function make(
        string $type,
        array|\JsonSerializable $data,
        #[\SensitiveParameter] string|array $secrets,
        ?int $timestamp = null,
    ): self {
        $event = (new WebhookEvent(
            id: 'evt_fake' . \bin2hex(\random_bytes(9)),
            type: $type,
            apiVersion: 'v1',
            accountId: 'acct_fake',
            test: true,
            sessionSequence: 1,
            timestamp: new \DateTimeImmutable(),
        ))->toArray();
        $event['data'] = (object) ($data instanceof \JsonSerializable ? $data->jsonSerialize() : $data);
        $flags = \JSON_THROW_ON_ERROR | \JSON_UNESCAPED_SLASHES | \JSON_UNESCAPED_UNICODE;
        $body = \json_encode($event, $flags);
        return new self($body, Webhooks::sign($body, $secrets, timestamp: $timestamp));
    }
}
