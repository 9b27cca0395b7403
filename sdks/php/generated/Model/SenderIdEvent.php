<?php

// Made from the contract by sdks/codegen/src/php.ts: run `npm run generate`, do not edit.

declare(strict_types=1);

namespace Ramz\Model;

use Ramz\Internal\Json;
use Ramz\Internal\Timestamp;

/** An operator's decision about a sender name. */
final class SenderIdEvent implements \JsonSerializable
{
    /**
     * @param string $senderId Identifies the sender name.
     * @param string $name The name.
     * @param string $operator The operator's id.
     * @param string $status How it stands there now. Words: {@see \Ramz\Value\SenderStatus}.
     * @param string $reason What the operator gave as its reason.
     * @param \DateTimeImmutable|null $decidedAt When it decided.
     */
    public function __construct(
        public readonly string $senderId = '',
        public readonly string $name = '',
        public readonly string $operator = '',
        public readonly string $status = '',
        public readonly string $reason = '',
        public readonly ?\DateTimeImmutable $decidedAt = null,
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
            senderId: Json::text($data, 'sender_id'),
            name: Json::text($data, 'name'),
            operator: Json::text($data, 'operator'),
            status: Json::text($data, 'status'),
            reason: Json::text($data, 'reason'),
            decidedAt: Json::time($data, 'decided_at'),
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
            'sender_id' => $this->senderId,
            'name' => $this->name,
            'operator' => $this->operator,
            'status' => $this->status,
            'reason' => $this->reason,
            'decided_at' => Timestamp::write($this->decidedAt),
        ]);
    }

    /** @return array<string, mixed> */
    public function jsonSerialize(): array
    {
        return $this->toArray();
    }
}
