<?php

declare(strict_types=1);

namespace Ramz\Http;

/** A request as a transport sends it. */
final class Request
{
    /**
     * @param array<string, string> $headers By lower-case name.
     * @param float $timeout Seconds within which the whole answer must be there.
     */
    public function __construct(
        public readonly string $method,
        public readonly string $url,
        public readonly array $headers,
        public readonly ?string $body,
        public readonly float $timeout,
    ) {
    }

    /**
     * Keeps the key out of dumps.
     *
     * @return array<string, mixed>
     */
    public function __debugInfo(): array
    {
        return ['method' => $this->method, 'url' => $this->url, 'timeout' => $this->timeout];
    }
}
