<?php

// Made from the contract by sdks/codegen/src/php.ts: run `npm run generate`, do not edit.

declare(strict_types=1);

namespace Ramz\Model;

use Ramz\Internal\Json;

/** A message, as `message.submitted` and `message.failed` tell it. */
final class MessageEvent implements \JsonSerializable
{
    /**
     * @param string $sessionId Session the message belongs to.
     * @param string $messageId Identifies the message.
     * @param int $run Number of the send within the session, from 1.
     * @param string $channel How it travels. Words: {@see \Ramz\Value\Channel}.
     * @param string $operator Operator it goes through; empty for other channels.
     * @param string $senderId Sender name it went out under; on the messaging app the business's, where it went out
     *   from the business's own number.
     * @param string $to Number it goes to, E.164.
     * @param string $status How it stands. Words: {@see \Ramz\Value\MessageStatus}.
     * @param string $reason Why, where the status does not say it. Words: {@see \Ramz\Value\MessageReason}.
     * @param string $errorCode The carrier's own error code, as it came.
     * @param string $providerMessageId The carrier's id of the message.
     * @param Cost|null $cost What it costs; absent while nothing is known.
     * @param string $clientReference The client's own reference.
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
        public readonly string $reason = '',
        public readonly string $errorCode = '',
        public readonly string $providerMessageId = '',
        public readonly ?Cost $cost = null,
        public readonly string $clientReference = '',
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
            reason: Json::text($data, 'reason'),
            errorCode: Json::text($data, 'error_code'),
            providerMessageId: Json::text($data, 'provider_message_id'),
            cost: Json::one($data, 'cost', Cost::fromArray(...)),
            clientReference: Json::text($data, 'client_reference'),
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
            'reason' => $this->reason,
            'error_code' => $this->errorCode,
            'provider_message_id' => $this->providerMessageId,
            'cost' => $this->cost?->toArray(),
            'client_reference' => $this->clientReference,
        ]);
    }

    /** @return array<string, mixed> */
    public function jsonSerialize(): array
    {
        return $this->toArray();
    }
}
