<?php

// Made from the contract by sdks/codegen/src/php.ts: run `npm run generate`, do not edit.

declare(strict_types=1);

namespace Ramz\Model;

use Ramz\Internal\Json;
use Ramz\Internal\Timestamp;

/** One event for one endpoint. */
final class WebhookDelivery implements \JsonSerializable
{
    /**
     * @param string $eventId Identifies the event.
     * @param string $type What happened. Words: {@see \Ramz\Value\EventType}.
     * @param string $sessionId Session it is about; empty where it is about none.
     * @param string $status How the delivery stands. Words: {@see \Ramz\Value\WebhookDeliveryStatus}.
     * @param int $attempts Tries so far.
     * @param \DateTimeImmutable|null $nextAttemptAt When the next try is made; absent where there is none.
     * @param int|null $lastResponseStatus HTTP status of the last answer; absent where none came.
     * @param string $lastError Why the last try failed; else empty.
     * @param \DateTimeImmutable|null $createdAt When the event happened.
     * @param \DateTimeImmutable|null $deliveredAt When it was delivered; absent before.
     */
    public function __construct(
        public readonly string $eventId = '',
        public readonly string $type = '',
        public readonly string $sessionId = '',
        public readonly string $status = '',
        public readonly int $attempts = 0,
        public readonly ?\DateTimeImmutable $nextAttemptAt = null,
        public readonly ?int $lastResponseStatus = null,
        public readonly string $lastError = '',
        public readonly ?\DateTimeImmutable $createdAt = null,
        public readonly ?\DateTimeImmutable $deliveredAt = null,
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
            eventId: Json::text($data, 'event_id'),
            type: Json::text($data, 'type'),
            sessionId: Json::text($data, 'session_id'),
            status: Json::text($data, 'status'),
            attempts: Json::integer($data, 'attempts'),
            nextAttemptAt: Json::time($data, 'next_attempt_at'),
            lastResponseStatus: Json::integerOrNull($data, 'last_response_status'),
            lastError: Json::text($data, 'last_error'),
            createdAt: Json::time($data, 'created_at'),
            deliveredAt: Json::time($data, 'delivered_at'),
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
            'event_id' => $this->eventId,
            'type' => $this->type,
            'session_id' => $this->sessionId,
            'status' => $this->status,
            'attempts' => $this->attempts,
            'next_attempt_at' => Timestamp::write($this->nextAttemptAt),
            'last_response_status' => $this->lastResponseStatus,
            'last_error' => $this->lastError,
            'created_at' => Timestamp::write($this->createdAt),
            'delivered_at' => Timestamp::write($this->deliveredAt),
        ]);
    }

    /** @return array<string, mixed> */
    public function jsonSerialize(): array
    {
        return $this->toArray();
    }
}
