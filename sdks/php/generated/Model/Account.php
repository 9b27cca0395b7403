<?php

// Made from the contract by sdks/codegen/src/php.ts: run `npm run generate`, do not edit.

declare(strict_types=1);

namespace Ramz\Model;

use Ramz\Internal\Json;
use Ramz\Internal\Timestamp;

/** A business. */
final class Account implements \JsonSerializable
{
    /**
     * @param string $id Identifies the account.
     * @param string $name Name of the business.
     * @param \DateTimeImmutable|null $createdAt When the account was created; start of the SMS time-to-market.
     * @param \DateTimeImmutable|null $customWabaConnectedAt When the business linked its own messaging-app account;
     *   absent before. Linking again does not change it.
     * @param string $language Language where a send gives none. Words: {@see \Ramz\Value\Language}.
     * @param string $defaultSenderId Sender name where a send gives none; empty = the platform's.
     * @param list<CascadeLeg> $cascade Legs where a send gives none, in order.
     * @param bool $inCountryOnly Channels whose messages leave the country are not used.
     * @param \DateTimeImmutable|null $smsFirstSendAt When an operator took the account's first live SMS; absent
     *   before.
     * @param AccountAutofill|null $autofill Sites and apps that a live send may name in its `autofill`, once they are
     *   approved.
     */
    public function __construct(
        public readonly string $id = '',
        public readonly string $name = '',
        public readonly ?\DateTimeImmutable $createdAt = null,
        public readonly ?\DateTimeImmutable $customWabaConnectedAt = null,
        public readonly string $language = '',
        public readonly string $defaultSenderId = '',
        public readonly array $cascade = [],
        public readonly bool $inCountryOnly = false,
        public readonly ?\DateTimeImmutable $smsFirstSendAt = null,
        public readonly ?AccountAutofill $autofill = null,
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
            customWabaConnectedAt: Json::time($data, 'custom_waba_connected_at'),
            language: Json::text($data, 'language'),
            defaultSenderId: Json::text($data, 'default_sender_id'),
            cascade: Json::many($data, 'cascade', CascadeLeg::fromArray(...)),
            inCountryOnly: Json::flag($data, 'in_country_only'),
            smsFirstSendAt: Json::time($data, 'sms_first_send_at'),
            autofill: Json::one($data, 'autofill', AccountAutofill::fromArray(...)),
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
            'custom_waba_connected_at' => Timestamp::write($this->customWabaConnectedAt),
            'language' => $this->language,
            'default_sender_id' => $this->defaultSenderId,
            'cascade' => array_map(static fn (CascadeLeg $one): array => $one->toArray(), $this->cascade),
            'in_country_only' => $this->inCountryOnly,
            'sms_first_send_at' => Timestamp::write($this->smsFirstSendAt),
            'autofill' => $this->autofill?->toArray(),
        ]);
    }

    /** @return array<string, mixed> */
    public function jsonSerialize(): array
    {
        return $this->toArray();
    }
}
