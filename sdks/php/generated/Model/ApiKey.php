<?php

// Made from the contract by sdks/codegen/src/php.ts: run `npm run generate`, do not edit.

declare(strict_types=1);

namespace Ramz\Model;

use Ramz\Internal\Json;
use Ramz\Internal\Timestamp;

/** A key; all of it but the secret itself. */
final class ApiKey implements \JsonSerializable
{
    /**
     * @param string $id Identifies the key; part of the key's text.
     * @param string $key The key itself: in the answer that created it, and never again.
     * @param string $hint What tells the key apart in a list: its prefix and a few characters.
     * @param string $mode Live or test. Words: {@see \Ramz\Value\Mode}.
     * @param string $name Name given at creation.
     * @param list<string> $scopes What it may do. Words: {@see \Ramz\Value\Scope}.
     * @param \DateTimeImmutable|null $createdAt When it was created.
     * @param \DateTimeImmutable|null $expiresAt When it stops working; absent = never.
     * @param \DateTimeImmutable|null $lastUsedAt When it was last used, within a minute; absent = never.
     * @param \DateTimeImmutable|null $revokedAt When it was revoked; absent = it was not.
     * @param string $createdBy Id of the key that created this one; `operator` if the operator of the service did, as
     *   for the first keys of an account. Empty for keys that are older than this field.
     */
    public function __construct(
        public readonly string $id = '',
        public readonly string $key = '',
        public readonly string $hint = '',
        public readonly string $mode = '',
        public readonly string $name = '',
        public readonly array $scopes = [],
        public readonly ?\DateTimeImmutable $createdAt = null,
        public readonly ?\DateTimeImmutable $expiresAt = null,
        public readonly ?\DateTimeImmutable $lastUsedAt = null,
        public readonly ?\DateTimeImmutable $revokedAt = null,
        public readonly string $createdBy = '',
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
            key: Json::text($data, 'key'),
            hint: Json::text($data, 'hint'),
            mode: Json::text($data, 'mode'),
            name: Json::text($data, 'name'),
            scopes: Json::all($data, 'scopes', Json::textOrNull(...)),
            createdAt: Json::time($data, 'created_at'),
            expiresAt: Json::time($data, 'expires_at'),
            lastUsedAt: Json::time($data, 'last_used_at'),
            revokedAt: Json::time($data, 'revoked_at'),
            createdBy: Json::text($data, 'created_by'),
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
            'key' => $this->key,
            'hint' => $this->hint,
            'mode' => $this->mode,
            'name' => $this->name,
            'scopes' => $this->scopes,
            'created_at' => Timestamp::write($this->createdAt),
            'expires_at' => Timestamp::write($this->expiresAt),
            'last_used_at' => Timestamp::write($this->lastUsedAt),
            'revoked_at' => Timestamp::write($this->revokedAt),
            'created_by' => $this->createdBy,
        ]);
    }

    /** @return array<string, mixed> */
    public function jsonSerialize(): array
    {
        return $this->toArray();
    }
}
