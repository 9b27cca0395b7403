<?php

// Made from the contract by sdks/codegen/src/php.ts: run `npm run generate`, do not edit.

declare(strict_types=1);

namespace Ramz\Model;

use Ramz\Internal\Json;
use Ramz\Internal\Timestamp;

/** A carrier's delivery report, normalised. */
final class Receipt implements \JsonSerializable
{
    /**
     * @param string $sessionId Session the message belongs to.
     * @param string $messageId Message the receipt is about.
     * @param int $run Number of the send within the session, from 1.
     * @param string $channel Channel of the message. Words: {@see \Ramz\Value\Channel}.
     * @param string $operator Operator that delivered it; empty for other channels.
     * @param string $senderId Sender name it was sent under; on the messaging app the business's, where it went out
     *   from its own number.
     * @param string $to Number it was sent to, E.164.
     * @param string $status State of delivery, in SMPP's words. Words: {@see \Ramz\Value\ReceiptStatus}.
     * @param string $providerStatus The channel's own word for the state, where it is not SMPP's.
     * @param string $errorCode The carrier's own error code, as it came.
     * @param \DateTimeImmutable|null $operatorTimestamp The carrier's time of that state; absent where it gave none.
     * @param \DateTimeImmutable|null $receivedAt When the receipt came in.
     * @param Cost|null $cost What the message costs, as far as is known; absent while nothing is.
     * @param string $providerMessageId The carrier's id of the message.
     * @param string $clientReference What the client gave as its own reference.
     * @param string $raw The report as it came, digits of the code masked.
     */
    public function __construct(
        public readonly string $sessionId = '',
        public readonly string $messageId = '',
        public readonly int $run = 0,
        public readonly string $channel = '',
        public readonly string $operator = '',
        public readonly string $senderId = '',
        public readonly string $to = '',
        public readonly string $status = '',
        public readonly string $providerStatus = '',
        public readonly string $errorCode = '',
        public readonly ?\DateTimeImmutable $operatorTimestamp = null,
        public readonly ?\DateTimeImmutable $receivedAt = null,
        public readonly ?Cost $cost = null,
        public readonly string $providerMessageId = '',
        public readonly string $clientReference = '',
        public readonly string $raw = '',
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
            sessionId: Json::text($data, 'session_id'),
            messageId: Json::text($data, 'message_id'),
            run: Json::integer($data, 'run'),
            channel: Json::text($data, 'channel'),
            operator: Json::text($data, 'operator'),
            senderId: Json::text($data, 'sender_id'),
            to: Json::text($data, 'to'),
            status: Json::text($data, 'status'),
            providerStatus: Json::text($data, 'provider_status'),
            errorCode: Json::text($data, 'error_code'),
            operatorTimestamp: Json::time($data, 'operator_timestamp'),
            receivedAt: Json::time($data, 'received_at'),
            cost: Json::one($data, 'cost', Cost::fromArray(...)),
            providerMessageId: Json::text($data, 'provider_message_id'),
            clientReference: Json::text($data, 'client_reference'),
            raw: Json::text($data, 'raw'),
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
            'session_id' => $this->sessionId,
            'message_id' => $this->messageId,
            'run' => $this->run,
            'channel' => $this->channel,
            'operator' => $this->operator,
            'sender_id' => $this->senderId,
            'to' => $this->to,
            'status' => $this->status,
            'provider_status' => $this->providerStatus,
            'error_code' => $this->errorCode,
            'operator_timestamp' => Timestamp::write($this->operatorTimestamp),
            'received_at' => Timestamp::write($this->receivedAt),
            'cost' => $this->cost?->toArray(),
            'provider_message_id' => $this->providerMessageId,
            'client_reference' => $this->clientReference,
            'raw' => $this->raw,
        ]);
    }

    /** @return array<string, mixed> */
    public function jsonSerialize(): array
    {
        return $this->toArray();
    }
}
