<?php

// Made from the contract by sdks/codegen/src/php.ts: run `npm run generate`, do not edit.

declare(strict_types=1);

namespace Ramz\Model;

use Ramz\Internal\Input;
use Ramz\Internal\Json;

/** One step of the cascade. */
final class CascadeLeg implements \JsonSerializable, Input
{
    /**
     * @param string $channel Channel of the leg. Words: {@see \Ramz\Value\Channel}.
     * @param int|null $timeoutSeconds How long a delivered receipt is waited for before the next leg starts. Default
     *   15 for sms and whatsapp, 45 for voice. The deployment may narrow the range; 5 to 900 unless it says
     *   otherwise.
     */
    public function __construct(
        public readonly string $channel = '',
        public readonly ?int $timeoutSeconds = null,
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
            channel: Json::text($data, 'channel'),
            timeoutSeconds: Json::integerOrNull($data, 'timeout_seconds'),
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
            'channel' => $this->channel,
            'timeout_seconds' => $this->timeoutSeconds,
        ]);
    }

    /**
     * As a request: what is empty is left out.
     *
     * @return array<string, mixed>
     */
    public function toRequest(): array
    {
        return Json::given([
            'channel' => $this->channel === '' ? null : $this->channel,
            'timeout_seconds' => $this->timeoutSeconds,
        ]);
    }

    /** @return array<string, mixed> */
    public function jsonSerialize(): array
    {
        return $this->toArray();
    }
}
