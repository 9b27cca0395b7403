<?php

// Made from the contract by sdks/codegen/src/php.ts: run `npm run generate`, do not edit.

declare(strict_types=1);

namespace Ramz\Model;

use Ramz\Internal\Json;

/** A template of the business's account. */
final class WabaTemplate implements \JsonSerializable
{
    /**
     * @param string $language Its language, as the platform writes it.
     * @param string $status How it stands. Words: {@see \Ramz\Value\WabaTemplateStatus}.
     */
    public function __construct(
        public readonly string $language = '',
        public readonly string $status = '',
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
            language: Json::text($data, 'language'),
            status: Json::text($data, 'status'),
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
            'language' => $this->language,
            'status' => $this->status,
        ]);
    }

    /** @return array<string, mixed> */
    public function jsonSerialize(): array
    {
        return $this->toArray();
    }
}
