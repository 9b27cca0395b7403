<?php

// Made from the contract by sdks/codegen/src/php.ts: run `npm run generate`, do not edit.

declare(strict_types=1);

namespace Ramz\Model;

use Ramz\Internal\Json;
use Ramz\Internal\Timestamp;

/** A business's own account at the messaging platform, and how its link stands. */
final class Waba implements \JsonSerializable
{
    /**
     * @param string $wabaId The platform's id of the account.
     * @param string $phoneNumberId The platform's id of the phone number messages go out from.
     * @param string $phoneNumber That number, as the platform writes it; empty until it was asked for.
     * @param string $displayName Name that the number's messages show; empty until it was asked for.
     * @param string $status How the link stands. Words: {@see \Ramz\Value\WabaStatus}.
     * @param string $step The step under way while `connecting`, the one that failed where it is `broken`; else
     *   empty. Words: {@see \Ramz\Value\WabaStep}.
     * @param string $reason Why it is broken or disconnected, or why the step under way is tried again; else empty.
     *   Words: {@see \Ramz\Value\WabaReason}.
     * @param string $errorCode The platform's own error code, where there is one.
     * @param list<WabaTemplate> $templates The authentication template in each language. Messages in a language whose
     *   template is not approved go out from the platform's number.
     * @param \DateTimeImmutable|null $createdAt When this link was begun.
     * @param \DateTimeImmutable|null $connectedAt When this link was complete; absent before. The account's
     *   `custom_waba_connected_at` is that of its first link.
     * @param \DateTimeImmutable|null $updatedAt When any of this was last changed.
     */
    public function __construct(
        public readonly string $wabaId = '',
        public readonly string $phoneNumberId = '',
        public readonly string $phoneNumber = '',
        public readonly string $displayName = '',
        public readonly string $status = '',
        public readonly string $step = '',
        public readonly string $reason = '',
        public readonly string $errorCode = '',
        public readonly array $templates = [],
        public readonly ?\DateTimeImmutable $createdAt = null,
        public readonly ?\DateTimeImmutable $connectedAt = null,
        public readonly ?\DateTimeImmutable $updatedAt = null,
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
            phoneNumber: Json::text($data, 'phone_number'),
            displayName: Json::text($data, 'display_name'),
            status: Json::text($data, 'status'),
            step: Json::text($data, 'step'),
            reason: Json::text($data, 'reason'),
            errorCode: Json::text($data, 'error_code'),
            templates: Json::many($data, 'templates', WabaTemplate::fromArray(...)),
            createdAt: Json::time($data, 'created_at'),
            connectedAt: Json::time($data, 'connected_at'),
            updatedAt: Json::time($data, 'updated_at'),
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
            'phone_number' => $this->phoneNumber,
            'display_name' => $this->displayName,
            'status' => $this->status,
            'step' => $this->step,
            'reason' => $this->reason,
            'error_code' => $this->errorCode,
            'templates' => array_map(static fn (WabaTemplate $one): array => $one->toArray(), $this->templates),
            'created_at' => Timestamp::write($this->createdAt),
            'connected_at' => Timestamp::write($this->connectedAt),
            'updated_at' => Timestamp::write($this->updatedAt),
        ]);
    }

    /** @return array<string, mixed> */
    public function jsonSerialize(): array
    {
        return $this->toArray();
    }
}
