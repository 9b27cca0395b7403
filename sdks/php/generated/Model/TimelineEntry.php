<?php

// Made from the contract by sdks/codegen/src/php.ts: run `npm run generate`, do not edit.

declare(strict_types=1);

namespace Ramz\Model;

use Ramz\Internal\Json;
use Ramz\Internal\Timestamp;

/** Something that happened, and why. Never a code. */
final class TimelineEntry implements \JsonSerializable
{
    /**
     * @param \DateTimeImmutable|null $at When.
     * @param string $kind What. Words: {@see \Ramz\Value\TimelineKind}.
     * @param int $run Run it happened in, from 1.
     * @param int|null $position Leg of the run it is about, from 0; absent where it is about none.
     * @param string $channel Channel it is about; empty where it is about none. Words: {@see \Ramz\Value\Channel}.
     * @param string $messageId Message it is about; empty where it is about none.
     * @param string $reason Why; which words, `kind` decides.
     * @param string $detail More for the reader, e.g. a carrier's error code or the sender name that was used
     *   instead.
     */
    public function __construct(
        public readonly ?\DateTimeImmutable $at = null,
        public readonly string $kind = '',
        public readonly int $run = 0,
        public readonly ?int $position = null,
        public readonly string $channel = '',
        public readonly string $messageId = '',
        public readonly string $reason = '',
        public readonly string $detail = '',
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
            at: Json::time($data, 'at'),
            kind: Json::text($data, 'kind'),
            run: Json::integer($data, 'run'),
            position: Json::integerOrNull($data, 'position'),
            channel: Json::text($data, 'channel'),
            messageId: Json::text($data, 'message_id'),
            reason: Json::text($data, 'reason'),
            detail: Json::text($data, 'detail'),
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
            'at' => Timestamp::write($this->at),
            'kind' => $this->kind,
            'run' => $this->run,
            'position' => $this->position,
            'channel' => $this->channel,
            'message_id' => $this->messageId,
            'reason' => $this->reason,
            'detail' => $this->detail,
        ]);
    }

    /** @return array<string, mixed> */
    public function jsonSerialize(): array
    {
        return $this->toArray();
    }
}
