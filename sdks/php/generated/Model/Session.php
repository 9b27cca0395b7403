<?php

// Made from the contract by sdks/codegen/src/php.ts: run `npm run generate`, do not edit.

declare(strict_types=1);

namespace Ramz\Model;

use Ramz\Internal\Json;
use Ramz\Internal\Timestamp;

/** One verification challenge, with the whole story of it. */
final class Session implements \JsonSerializable
{
    /**
     * @param string $id Identifies the session.
     * @param string $status How the verification stands. Words: {@see \Ramz\Value\SessionStatus}.
     * @param string $statusReason Why it is failed or canceled; else empty. Words: {@see \Ramz\Value\StatusReason}.
     * @param string $delivery Whether a code has reached the phone. Words: {@see \Ramz\Value\DeliveryStatus}.
     * @param string $to Number to verify, E.164.
     * @param string $channel Channel of the first leg. Words: {@see \Ramz\Value\Channel}.
     * @param string $purpose What the challenge is for; empty by default.
     * @param string $language Language of the messages. Words: {@see \Ramz\Value\Language}.
     * @param int $codeLength Digits of the code.
     * @param string $senderId Sender name the client asked for; empty = the account's, then the platform's.
     * @param string $clientReference The client's own reference.
     * @param Autofill|null $autofill What was asked for so that the phone fills the code in.
     * @param \DateTimeImmutable|null $createdAt When the session was opened.
     * @param \DateTimeImmutable|null $expiresAt When the code stops being valid.
     * @param \DateTimeImmutable|null $verifiedAt When the right code was given; absent before.
     * @param \DateTimeImmutable|null $firstSendAt When a carrier took the session's first message; absent before.
     * @param int $run Number of the run under way: each send or resend starts one.
     * @param int $sends Sends and resends so far; steps of the cascade do not count.
     * @param int $attemptsRemaining Tries left at the code.
     * @param \DateTimeImmutable|null $resendAfter Earliest time of the next resend; absent when none is possible any
     *   more.
     * @param list<CascadeLeg> $cascade The legs, in order.
     * @param list<Message> $messages Every message, oldest first. Left out of lists.
     * @param list<TimelineEntry> $timeline What happened and why, oldest first. Left out of lists.
     * @param list<TotalCost> $totalCost What the session has cost so far: one entry per currency.
     * @param bool $test Opened with a test key.
     */
    public function __construct(
        public readonly string $id = '',
        public readonly string $status = '',
        public readonly string $statusReason = '',
        public readonly string $delivery = '',
        public readonly string $to = '',
        public readonly string $channel = '',
        public readonly string $purpose = '',
        public readonly string $language = '',
        public readonly int $codeLength = 0,
        public readonly string $senderId = '',
        public readonly string $clientReference = '',
        public readonly ?Autofill $autofill = null,
        public readonly ?\DateTimeImmutable $createdAt = null,
        public readonly ?\DateTimeImmutable $expiresAt = null,
        public readonly ?\DateTimeImmutable $verifiedAt = null,
        public readonly ?\DateTimeImmutable $firstSendAt = null,
        public readonly int $run = 0,
        public readonly int $sends = 0,
        public readonly int $attemptsRemaining = 0,
        public readonly ?\DateTimeImmutable $resendAfter = null,
        public readonly array $cascade = [],
        public readonly array $messages = [],
        public readonly array $timeline = [],
        public readonly array $totalCost = [],
        public readonly bool $test = false,
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
            status: Json::text($data, 'status'),
            statusReason: Json::text($data, 'status_reason'),
            delivery: Json::text($data, 'delivery'),
            to: Json::text($data, 'to'),
            channel: Json::text($data, 'channel'),
            purpose: Json::text($data, 'purpose'),
            language: Json::text($data, 'language'),
            codeLength: Json::integer($data, 'code_length'),
            senderId: Json::text($data, 'sender_id'),
            clientReference: Json::text($data, 'client_reference'),
            autofill: Json::one($data, 'autofill', Autofill::fromArray(...)),
            createdAt: Json::time($data, 'created_at'),
            expiresAt: Json::time($data, 'expires_at'),
            verifiedAt: Json::time($data, 'verified_at'),
            firstSendAt: Json::time($data, 'first_send_at'),
            run: Json::integer($data, 'run'),
            sends: Json::integer($data, 'sends'),
            attemptsRemaining: Json::integer($data, 'attempts_remaining'),
            resendAfter: Json::time($data, 'resend_after'),
            cascade: Json::many($data, 'cascade', CascadeLeg::fromArray(...)),
            messages: Json::many($data, 'messages', Message::fromArray(...)),
            timeline: Json::many($data, 'timeline', TimelineEntry::fromArray(...)),
            totalCost: Json::many($data, 'total_cost', TotalCost::fromArray(...)),
            test: Json::flag($data, 'test'),
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
            'status' => $this->status,
            'status_reason' => $this->statusReason,
            'delivery' => $this->delivery,
            'to' => $this->to,
            'channel' => $this->channel,
            'purpose' => $this->purpose,
            'language' => $this->language,
            'code_length' => $this->codeLength,
            'sender_id' => $this->senderId,
            'client_reference' => $this->clientReference,
            'autofill' => $this->autofill?->toArray(),
            'created_at' => Timestamp::write($this->createdAt),
            'expires_at' => Timestamp::write($this->expiresAt),
            'verified_at' => Timestamp::write($this->verifiedAt),
            'first_send_at' => Timestamp::write($this->firstSendAt),
            'run' => $this->run,
            'sends' => $this->sends,
            'attempts_remaining' => $this->attemptsRemaining,
            'resend_after' => Timestamp::write($this->resendAfter),
            'cascade' => array_map(static fn (CascadeLeg $one): array => $one->toArray(), $this->cascade),
            'messages' => array_map(static fn (Message $one): array => $one->toArray(), $this->messages),
            'timeline' => array_map(static fn (TimelineEntry $one): array => $one->toArray(), $this->timeline),
            'total_cost' => array_map(static fn (TotalCost $one): array => $one->toArray(), $this->totalCost),
            'test' => $this->test,
        ]);
    }

    /** @return array<string, mixed> */
    public function jsonSerialize(): array
    {
        return $this->toArray();
    }
}
