<?php

// Made from the contract by sdks/codegen/src/php.ts: run `npm run generate`, do not edit.

declare(strict_types=1);

namespace Ramz\Model;

use Ramz\Internal\Json;
use Ramz\Internal\Timestamp;

/** A custom sender name. */
final class SenderId implements \JsonSerializable
{
    /**
     * @param string $id Identifies the request for the name.
     * @param string $name The name as the recipient sees it.
     * @param \DateTimeImmutable|null $createdAt When it was asked for.
     * @param \DateTimeImmutable|null $dueAt When every operator should have decided: 72 hours later.
     * @param list<SenderDecision> $decisions How it stands at each operator.
     */
    public function __construct(
        public readonly string $id = '',
        public readonly string $name = '',
        public readonly ?\DateTimeImmutable $createdAt = null,
        public readonly ?\DateTimeImmutable $dueAt = null,
        public readonly array $decisions = [],
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
            name: Json::text($data, 'name'),
            createdAt: Json::time($data, 'created_at'),
            dueAt: Json::time($data, 'due_at'),
            decisions: Json::many($data, 'decisions', SenderDecision::fromArray(...)),
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
            'name' => $this->name,
            'created_at' => Timestamp::write($this->createdAt),
            'due_at' => Timestamp::write($this->dueAt),
            'decisions' => array_map(static fn (SenderDecision $one): array => $one->toArray(), $this->decisions),
        ]);
    }

    /** @return array<string, mixed> */
    public function jsonSerialize(): array
    {
        return $this->toArray();
    }
}
