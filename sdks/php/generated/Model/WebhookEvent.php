<?php

// Made from the contract by sdks/codegen/src/php.ts: run `npm run generate`, do not edit.

declare(strict_types=1);

namespace Ramz\Model;

use Ramz\Internal\EventData;
use Ramz\Internal\Json;
use Ramz\Internal\Timestamp;

/** What every callback looks like. */
final class WebhookEvent implements \JsonSerializable
{
    /**
     * @param string $id Identifies the event; the same on every retry, and in the header `webhook-id`.
     * @param string $type What happened. Words: {@see \Ramz\Value\EventType}.
     * @param string $apiVersion Version of the contract the body is made by.
     * @param string $accountId Account it happened in.
     * @param bool $test It happened in test mode.
     * @param int $sessionSequence Position of the event among those of its session, from 1; 0 if it is not about one
     *   session. Deliveries may overtake each other.
     * @param \DateTimeImmutable|null $timestamp When it happened.
     * @param EndpointEvent|MessageEvent|NumberEvent|Receipt|SenderIdEvent|SessionEvent|WabaEvent|array<mixed> $data
     *   The state at that moment; which message it is, the type decides.
     */
    public function __construct(
        public readonly string $id = '',
        public readonly string $type = '',
        public readonly string $apiVersion = '',
        public readonly string $accountId = '',
        public readonly bool $test = false,
        public readonly int $sessionSequence = 0,
        public readonly ?\DateTimeImmutable $timestamp = null,
        public readonly EndpointEvent|MessageEvent|NumberEvent|Receipt|SenderIdEvent|SessionEvent|WabaEvent|array $data = [],
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
            type: Json::text($data, 'type'),
            apiVersion: Json::text($data, 'api_version'),
            accountId: Json::text($data, 'account_id'),
            test: Json::flag($data, 'test'),
            sessionSequence: Json::integer($data, 'session_sequence'),
            timestamp: Json::time($data, 'timestamp'),
            data: EventData::read(Json::text($data, 'type'), Json::map($data, 'data')),
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
            'type' => $this->type,
            'api_version' => $this->apiVersion,
            'account_id' => $this->accountId,
            'test' => $this->test,
            'session_sequence' => $this->sessionSequence,
            'timestamp' => Timestamp::write($this->timestamp),
            'data' => \is_array($this->data) ? $this->data : $this->data->toArray(),
        ]);
    }

    /** @return array<string, mixed> */
    public function jsonSerialize(): array
    {
        return $this->toArray();
    }
}
