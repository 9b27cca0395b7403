<?php

// Made from the contract by sdks/codegen/src/php.ts: run `npm run generate`, do not edit.

declare(strict_types=1);

namespace Ramz\Model;

use Ramz\Internal\Json;
use Ramz\Internal\Timestamp;

/** A session, as the `session.*` events tell it. */
final class SessionEvent implements \JsonSerializable
{
    /**
     * @param string $sessionId Identifies the session.
     * @param string $to Number to verify, E.164.
     * @param string $purpose What the challenge is for.
     * @param string $status How the verification stands. Words: {@see \Ramz\Value\SessionStatus}.
     * @param string $statusReason Why it is failed or canceled; else empty. Words: {@see \Ramz\Value\StatusReason}.
     * @param string $delivery Whether a code has reached the phone. Words: {@see \Ramz\Value\DeliveryStatus}.
     * @param int $run Number of the run under way, from 1.
     * @param \DateTimeImmutable|null $createdAt When the session was opened.
     * @param \DateTimeImmutable|null $verifiedAt When the right code was given; absent before.
     * @param string $clientReference The client's own reference.
     */
    public function __construct(
        public readonly string $sessionId = '',
        public readonly string $to = '',
        public readonly string $purpose = '',
        public readonly string $status = '',
        public readonly string $statusReason = '',
        public readonly string $delivery = '',
        public readonly int $run = 0,
        public readonly ?\DateTimeImmutable $createdAt = null,
        public readonly ?\DateTimeImmutable $verifiedAt = null,
        public readonly string $clientReference = '',
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
            sessionId: Json::text($data, 'session_id'),
            to: Json::text($data, 'to'),
            purpose: Json::text($data, 'purpose'),
            status: Json::text($data, 'status'),
            statusReason: Json::text($data, 'status_reason'),
            delivery: Json::text($data, 'delivery'),
            run: Json::integer($data, 'run'),
            createdAt: Json::time($data, 'created_at'),
            verifiedAt: Json::time($data, 'verified_at'),
            clientReference: Json::text($data, 'client_reference'),
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
            'session_id' => $this->sessionId,
            'to' => $this->to,
            'purpose' => $this->purpose,
            'status' => $this->status,
            'status_reason' => $this->statusReason,
            'delivery' => $this->delivery,
            'run' => $this->run,
            'created_at' => Timestamp::write($this->createdAt),
            'verified_at' => Timestamp::write($this->verifiedAt),
            'client_reference' => $this->clientReference,
        ]);
    }

    /** @return array<string, mixed> */
    public function jsonSerialize(): array
    {
        return $this->toArray();
    }
}
