<?php

// Made from the contract by sdks/codegen/src/php.ts: run `npm run generate`, do not edit.

declare(strict_types=1);

namespace Ramz\Model;

use Ramz\Internal\Json;

/** What came back. */
final class TestWebhookEndpointResponse implements \JsonSerializable
{
    /**
     * @param bool $delivered The endpoint answered 2xx.
     * @param int|null $responseStatus HTTP status of its answer; absent where none came.
     * @param int $durationMs How long it took, in milliseconds.
     * @param string $error Why it failed; else empty.
     */
    public function __construct(
        public readonly bool $delivered = false,
        public readonly ?int $responseStatus = null,
        public readonly int $durationMs = 0,
        public readonly string $error = '',
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
            delivered: Json::flag($data, 'delivered'),
            responseStatus: Json::integerOrNull($data, 'response_status'),
            durationMs: Json::integer($data, 'duration_ms'),
            error: Json::text($data, 'error'),
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
            'delivered' => $this->delivered,
            'response_status' => $this->responseStatus,
            'duration_ms' => $this->durationMs,
            'error' => $this->error,
        ]);
    }

    /** @return array<string, mixed> */
    public function jsonSerialize(): array
    {
        return $this->toArray();
    }
}
