<?php

// Made from the contract by sdks/codegen/src/php.ts: run `npm run generate`, do not edit.

declare(strict_types=1);

namespace Ramz\Model;

use Ramz\Internal\Json;

/** Status of one site or app. */
final class AutofillState implements \JsonSerializable
{
    /**
     * @param string $value The web origin, or the app's hash.
     * @param string $status Status of the value. Words: {@see \Ramz\Value\AutofillStatus}.
     */
    public function __construct(
        public readonly string $value = '',
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
            value: Json::text($data, 'value'),
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
            'value' => $this->value,
            'status' => $this->status,
        ]);
    }

    /** @return array<string, mixed> */
    public function jsonSerialize(): array
    {
        return $this->toArray();
    }
}
