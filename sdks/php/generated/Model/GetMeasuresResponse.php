<?php

// Made from the contract by sdks/codegen/src/php.ts: run `npm run generate`, do not edit.

declare(strict_types=1);

namespace Ramz\Model;

use Ramz\Internal\Json;
use Ramz\Internal\Timestamp;

/** How long it took from an account to its first messages. */
final class GetMeasuresResponse implements \JsonSerializable
{
    /**
     * @param float|null $smsTimeToMarketSeconds `sms_first_send_at` minus `account_created_at`, in seconds; absent
     *   before the first live SMS.
     * @param float|null $messagingAppTimeToMarketSeconds `messaging_app_first_send_at` minus
     *   `custom_waba_connected_at`, in seconds; absent before both.
     * @param \DateTimeImmutable|null $accountCreatedAt When the account was created.
     * @param \DateTimeImmutable|null $smsFirstSendAt When an operator took the account's first live SMS.
     * @param \DateTimeImmutable|null $customWabaConnectedAt When the business linked its own messaging-app account.
     * @param \DateTimeImmutable|null $messagingAppFirstSendAt First send of the first session sent from that account
     *   after the link.
     */
    public function __construct(
        public readonly ?float $smsTimeToMarketSeconds = null,
        public readonly ?float $messagingAppTimeToMarketSeconds = null,
        public readonly ?\DateTimeImmutable $accountCreatedAt = null,
        public readonly ?\DateTimeImmutable $smsFirstSendAt = null,
        public readonly ?\DateTimeImmutable $customWabaConnectedAt = null,
        public readonly ?\DateTimeImmutable $messagingAppFirstSendAt = null,
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
            smsTimeToMarketSeconds: Json::numberOrNull($data, 'sms_time_to_market_seconds'),
            messagingAppTimeToMarketSeconds: Json::numberOrNull($data, 'messaging_app_time_to_market_seconds'),
            accountCreatedAt: Json::time($data, 'account_created_at'),
            smsFirstSendAt: Json::time($data, 'sms_first_send_at'),
            customWabaConnectedAt: Json::time($data, 'custom_waba_connected_at'),
            messagingAppFirstSendAt: Json::time($data, 'messaging_app_first_send_at'),
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
            'sms_time_to_market_seconds' => $this->smsTimeToMarketSeconds,
            'messaging_app_time_to_market_seconds' => $this->messagingAppTimeToMarketSeconds,
            'account_created_at' => Timestamp::write($this->accountCreatedAt),
            'sms_first_send_at' => Timestamp::write($this->smsFirstSendAt),
            'custom_waba_connected_at' => Timestamp::write($this->customWabaConnectedAt),
            'messaging_app_first_send_at' => Timestamp::write($this->messagingAppFirstSendAt),
        ]);
    }

    /** @return array<string, mixed> */
    public function jsonSerialize(): array
    {
        return $this->toArray();
    }
}
