<?php

// Made from the contract by sdks/codegen/src/php.ts: run `npm run generate`, do not edit.

declare(strict_types=1);

namespace Ramz\Model;

use Ramz\Internal\Json;
use Ramz\Internal\Timestamp;

/** Where callbacks go. */
final class WebhookEndpoint implements \JsonSerializable
{
    /**
     * @param string $id Identifies the endpoint.
     * @param string $url Address that callbacks are posted to.
     * @param string $description The client's own words about it.
     * @param list<string> $eventTypes Types of event it gets; empty = every type. Words:
     *   {@see \Ramz\Value\EventType}.
     * @param bool $enabled Callbacks are sent to it.
     * @param string $disabledReason Why it is switched off; else empty. Words: {@see \Ramz\Value\DisabledReason}.
     * @param string $secret Secret that callbacks are signed with: in the answers that made it, and never again.
     * @param \DateTimeImmutable|null $previousSecretExpiresAt Until when the secret before this one is signed with
     *   too; absent where there is none.
     * @param \DateTimeImmutable|null $createdAt When it was created.
     * @param \DateTimeImmutable|null $updatedAt When it was last changed.
     * @param \DateTimeImmutable|null $failingSince Since when nothing but failure came back; absent while it works.
     */
    public function __construct(
        public readonly string $id = '',
        public readonly string $url = '',
        public readonly string $description = '',
        public readonly array $eventTypes = [],
        public readonly bool $enabled = false,
        public readonly string $disabledReason = '',
        public readonly string $secret = '',
        public readonly ?\DateTimeImmutable $previousSecretExpiresAt = null,
        public readonly ?\DateTimeImmutable $createdAt = null,
        public readonly ?\DateTimeImmutable $updatedAt = null,
        public readonly ?\DateTimeImmutable $failingSince = null,
    ) {
    }

    /**
     * Reads decoded JSON. What is unknown is passed over, what is missing has its default.
     *
     * @param array<mixed> $data
     *
     * @throws \UnexpectedValueException A field is of another type.
     */
    public static function fromArray(array $data): self
    {
        return new self(
            id: Json::text($data, 'id'),
            url: Json::text($data, 'url'),
            description: Json::text($data, 'description'),
            eventTypes: Json::all($data, 'event_types', Json::textOrNull(...)),
            enabled: Json::flag($data, 'enabled'),
            disabledReason: Json::text($data, 'disabled_reason'),
            secret: Json::text($data, 'secret'),
            previousSecretExpiresAt: Json::time($data, 'previous_secret_expires_at'),
            createdAt: Json::time($data, 'created_at'),
            updatedAt: Json::time($data, 'updated_at'),
            failingSince: Json::time($data, 'failing_since'),
        );
    }

    /**
     * As the service writes it: what is absent is left out.
     *
     * @return array<string, mixed>
     */
    public function toArray(): array
    {
        return Json::given([
            'id' => $this->id,
            'url' => $this->url,
            'description' => $this->description,
            'event_types' => $this->eventTypes,
            'enabled' => $this->enabled,
            'disabled_reason' => $this->disabledReason,
            'secret' => $this->secret,
            'previous_secret_expires_at' => Timestamp::write($this->previousSecretExpiresAt),
            'created_at' => Timestamp::write($this->createdAt),
            'updated_at' => Timestamp::write($this->updatedAt),
            'failing_since' => Timestamp::write($this->failingSince),
        ]);
    }

    /** @return array<string, mixed> */
    public function jsonSerialize(): array
    {
        return $this->toArray();
    }
}
