<?php

// Made from the contract by sdks/codegen/src/php.ts: run `npm run generate`, do not edit.

declare(strict_types=1);

namespace Ramz\Model;

use Ramz\Internal\Json;
use Ramz\Internal\Timestamp;

/** One try on one channel. */
final class Message implements \JsonSerializable
{
    /**
     * @param string $id Identifies the message.
     * @param int $run Run it belongs to, from 1.
     * @param int $position Place of its leg in the run, from 0.
     * @param string $channel How it travels. Words: {@see \Ramz\Value\Channel}.
     * @param string $operator Operator it goes through; empty for other channels.
     * @param string $status How it stands. Words: {@see \Ramz\Value\MessageStatus}.
     * @param string $reason Why, where the status does not say it. Words: {@see \Ramz\Value\MessageReason}.
     * @param string $errorCode The carrier's own error code, as it came.
     * @param string $providerMessageId The carrier's id of the message.
     * @param string $senderId Sender name it went out under; on the messaging app the business's, where it went out
     *   from the business's own number.
     * @param int $parts SMS segments, or seconds of a call; 0 while not known.
     * @param \DateTimeImmutable|null $createdAt When its leg started.
     * @param \DateTimeImmutable|null $submittedAt When the carrier took it; absent before.
     * @param \DateTimeImmutable|null $finalAt When its status became final; absent before.
     * @param Cost|null $cost What it costs; absent while nothing is known.
     * @param list<Receipt> $receipts Every receipt that came for it, oldest first.
     */
    public function __construct(
        public readonly string $id = '',
        public readonly int $run = 0,
        public readonly int $position = 0,
        public readonly string $channel = '',
        public readonly string $operator = '',
        public readonly string $status = '',
        public readonly string $reason = '',
        public readonly string $errorCode = '',
        public readonly string $providerMessageId = '',
        public readonly string $senderId = '',
        public readonly int $parts = 0,
        public readonly ?\DateTimeImmutable $createdAt = null,
        public readonly ?\DateTimeImmutable $submittedAt = null,
        public readonly ?\DateTimeImmutable $finalAt = null,
        public readonly ?Cost $cost = null,
        public readonly array $receipts = [],
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
            run: Json::integer($data, 'run'),
            position: Json::integer($data, 'position'),
            channel: Json::text($data, 'channel'),
            operator: Json::text($data, 'operator'),
            status: Json::text($data, 'status'),
            reason: Json::text($data, 'reason'),
            errorCode: Json::text($data, 'error_code'),
            providerMessageId: Json::text($data, 'provider_message_id'),
            senderId: Json::text($data, 'sender_id'),
            parts: Json::integer($data, 'parts'),
            createdAt: Json::time($data, 'created_at'),
            submittedAt: Json::time($data, 'submitted_at'),
            finalAt: Json::time($data, 'final_at'),
            cost: Json::one($data, 'cost', Cost::fromArray(...)),
            receipts: Json::many($data, 'receipts', Receipt::fromArray(...)),
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
            'run' => $this->run,
            'position' => $this->position,
            'channel' => $this->channel,
            'operator' => $this->operator,
            'status' => $this->status,
            'reason' => $this->reason,
            'error_code' => $this->errorCode,
            'provider_message_id' => $this->providerMessageId,
            'sender_id' => $this->senderId,
            'parts' => $this->parts,
            'created_at' => Timestamp::write($this->createdAt),
            'submitted_at' => Timestamp::write($this->submittedAt),
            'final_at' => Timestamp::write($this->finalAt),
            'cost' => $this->cost?->toArray(),
            'receipts' => array_map(static fn (Receipt $one): array => $one->toArray(), $this->receipts),
        ]);
    }

    /** @return array<string, mixed> */
    public function jsonSerialize(): array
    {
        return $this->toArray();
    }
}
