<?php

// Made from the contract by sdks/codegen/src/php.ts: run `npm run generate`, do not edit.

declare(strict_types=1);

namespace Ramz\Model;

use Ramz\Internal\Json;

/** Costs of a session in one currency, added up. */
final class TotalCost implements \JsonSerializable
{
    /**
     * @param string $amount Decimal number as a string.
     * @param string $currency ISO 4217.
     * @param bool $final Every cost in it is final.
     */
    public function __construct(
        public readonly string $amount = '',
        public readonly string $currency = '',
        public readonly bool $final = false,
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
            amount: Json::text($data, 'amount'),
            currency: Json::text($data, 'currency'),
            final: Json::flag($data, 'final'),
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
            'amount' => $this->amount,
            'currency' => $this->currency,
            'final' => $this->final,
        ]);
    }

    /** @return array<string, mixed> */
    public function jsonSerialize(): array
    {
        return $this->toArray();
    }
}
