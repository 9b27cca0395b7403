<?php

// Made from the contract by sdks/codegen/src/php.ts: run `npm run generate`, do not edit.

declare(strict_types=1);

namespace Ramz\Model;

use Ramz\Internal\Json;
use Ramz\Internal\Timestamp;

/** The session that was opened or resent. */
final class SendResponse implements \JsonSerializable
{
    /**
     * @param string $id Identifies the session.
     * @param string $status How the verification stands. Words: {@see \Ramz\Value\SessionStatus}.
     * @param string $delivery Whether a code has reached the phone. Words: {@see \Ramz\Value\DeliveryStatus}.
     * @param string $to Number to verify, E.164.
     * @param string $channel Channel of the first leg of this run. Words: {@see \Ramz\Value\Channel}.
     * @param string $purpose What the challenge is for.
     * @param \DateTimeImmutable|null $createdAt When the session was opened.
     * @param \DateTimeImmutable|null $expiresAt When the code stops being valid.
     * @param list<CascadeLeg> $cascade The legs, in order.
     * @param \DateTimeImmutable|null $resendAfter Earliest time of the next resend; absent when none is possible any
     *   more.
     * @param bool $test Opened with a test key.
     */
    public function __construct(
        public readonly string $id = '',
        public readonly string $status = '',
        public readonly string $delivery = '',
        public readonly string $to = '',
        public readonly string $channel = '',
        public readonly string $purpose = '',
        public readonly ?\DateTimeImmutable $createdAt = null,
        public readonly ?\DateTimeImmutable $expiresAt = null,
        public readonly array $cascade = [],
        public readonly ?\DateTimeImmutable $resendAfter = null,
        public readonly bool $test = false,
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
            status: Json::text($data, 'status'),
            delivery: Json::text($data, 'delivery'),
            to: Json::text($data, 'to'),
            channel: Json::text($data, 'channel'),
            purpose: Json::text($data, 'purpose'),
            createdAt: Json::time($data, 'created_at'),
            expiresAt: Json::time($data, 'expires_at'),
            cascade: Json::many($data, 'cascade', CascadeLeg::fromArray(...)),
            resendAfter: Json::time($data, 'resend_after'),
            test: Json::flag($data, 'test'),
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
            'status' => $this->status,
            'delivery' => $this->delivery,
            'to' => $this->to,
            'channel' => $this->channel,
            'purpose' => $this->purpose,
            'created_at' => Timestamp::write($this->createdAt),
            'expires_at' => Timestamp::write($this->expiresAt),
            'cascade' => array_map(static fn (CascadeLeg $one): array => $one->toArray(), $this->cascade),
            'resend_after' => Timestamp::write($this->resendAfter),
            'test' => $this->test,
        ]);
    }

    /** @return array<string, mixed> */
    public function jsonSerialize(): array
    {
        return $this->toArray();
    }
}
