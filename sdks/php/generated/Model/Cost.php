<?php

// Made from the contract by sdks/codegen/src/php.ts: run `npm run generate`, do not edit.

declare(strict_types=1);

namespace Ramz\Model;

use Ramz\Internal\Json;

/** What a message costs. */
final class Cost implements \JsonSerializable
{
    /**
     * @param string $amount Decimal number as a string: money is never a float.
     * @param string $currency ISO 4217.
     * @param int $parts What was counted: SMS segments, messaging-app messages, or seconds of a call.
     * @param string $source Who says so. Words: {@see \Ramz\Value\CostSource}.
     * @param bool $final Nothing but a correction by the operator changes it any more.
     * @param int $revision From 1; raised by every change.
     * @param string $billedBy Who sends the bill. Words: {@see \Ramz\Value\BilledBy}.
     */
    public function __construct(
        public readonly string $amount = '',
        public readonly string $currency = '',
        public readonly int $parts = 0,
        public readonly string $source = '',
        public readonly bool $final = false,
        public readonly int $revision = 0,
        public readonly string $billedBy = '',
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
            parts: Json::integer($data, 'parts'),
            source: Json::text($data, 'source'),
            final: Json::flag($data, 'final'),
            revision: Json::integer($data, 'revision'),
            billedBy: Json::text($data, 'billed_by'),
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
            'parts' => $this->parts,
            'source' => $this->source,
            'final' => $this->final,
            'revision' => $this->revision,
            'billed_by' => $this->billedBy,
        ]);
    }

    /** @return array<string, mixed> */
    public function jsonSerialize(): array
    {
        return $this->toArray();
    }
}
