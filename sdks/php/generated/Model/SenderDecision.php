<?php

// Made from the contract by sdks/codegen/src/php.ts: run `npm run generate`, do not edit.

declare(strict_types=1);

namespace Ramz\Model;

use Ramz\Internal\Json;
use Ramz\Internal\Timestamp;

/** How a sender name stands at one operator. */
final class SenderDecision implements \JsonSerializable
{
    /**
     * @param string $operator The operator's id.
     * @param string $status How it stands. Words: {@see \Ramz\Value\SenderStatus}.
     * @param string $reason What the operator gave as its reason.
     * @param \DateTimeImmutable|null $submittedAt When the operator was asked.
     * @param \DateTimeImmutable|null $decidedAt When it decided; absent before.
     */
    public function __construct(
        public readonly string $operator = '',
        public readonly string $status = '',
        public readonly string $reason = '',
        public readonly ?\DateTimeImmutable $submittedAt = null,
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
            operator: Json::text($data, 'operator'),
            status: Json::text($data, 'status'),
            reason: Json::text($data, 'reason'),
            submittedAt: Json::time($data, 'submitted_at'),
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
            'operator' => $this->operator,
            'status' => $this->status,
            'reason' => $this->reason,
            'submitted_at' => Timestamp::write($this->submittedAt),
            'decided_at' => Timestamp::write($this->decidedAt),
        ]);
    }

    /** @return array<string, mixed> */
    public function jsonSerialize(): array
    {
        return $this->toArray();
    }
}
