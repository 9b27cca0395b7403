<?php

// Made from the contract by sdks/codegen/src/php.ts: run `npm run generate`, do not edit.

declare(strict_types=1);

namespace Ramz\Model;

use Ramz\Internal\Json;

/** The business's own messaging-app account was linked or unlinked. */
final class WabaEvent implements \JsonSerializable
{
    /**
     * @param string $wabaId The platform's id of that account.
     * @param string $phoneNumberId The platform's id of the phone number it sends from.
     * @param string $reason Why it was unlinked; else empty. Words: {@see \Ramz\Value\WabaReason}.
     */
    public function __construct(
        public readonly string $wabaId = '',
        public readonly string $phoneNumberId = '',
        public readonly string $reason = '',
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
            wabaId: Json::text($data, 'waba_id'),
            phoneNumberId: Json::text($data, 'phone_number_id'),
            reason: Json::text($data, 'reason'),
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
            'waba_id' => $this->wabaId,
            'phone_number_id' => $this->phoneNumberId,
            'reason' => $this->reason,
        ]);
    }

    /** @return array<string, mixed> */
    public function jsonSerialize(): array
    {
        return $this->toArray();
    }
}
