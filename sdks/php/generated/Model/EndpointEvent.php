<?php

// Made from the contract by sdks/codegen/src/php.ts: run `npm run generate`, do not edit.

declare(strict_types=1);

namespace Ramz\Model;

use Ramz\Internal\Json;
use Ramz\Internal\Timestamp;

/** A webhook endpoint was switched off. */
final class EndpointEvent implements \JsonSerializable
{
    /**
     * @param string $endpointId Identifies the endpoint.
     * @param string $url Its address.
     * @param string $reason Why. Words: {@see \Ramz\Value\DisabledReason}.
     * @param \DateTimeImmutable|null $disabledAt When.
     */
    public function __construct(
        public readonly string $endpointId = '',
        public readonly string $url = '',
        public readonly string $reason = '',
        public readonly ?\DateTimeImmutable $disabledAt = null,
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
            endpointId: Json::text($data, 'endpoint_id'),
            url: Json::text($data, 'url'),
            reason: Json::text($data, 'reason'),
            disabledAt: Json::time($data, 'disabled_at'),
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
            'endpoint_id' => $this->endpointId,
            'url' => $this->url,
            'reason' => $this->reason,
            'disabled_at' => Timestamp::write($this->disabledAt),
        ]);
    }

    /** @return array<string, mixed> */
    public function jsonSerialize(): array
    {
        return $this->toArray();
    }
}
