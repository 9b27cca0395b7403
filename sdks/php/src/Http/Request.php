<?php

declare(strict_types=1);

namespace Ramz\Http;

/** A request as a transport sends it. */
final class Request
{
    /**
     * @param array<string, string> $headers By lower-case name.
     * @param float $timeout Seconds within which the whole response must be there; of a stream, its first bytes.
     * @param (\Closure(int, array<string, string>): void)|null $answered Of a stream: to be called with status and headers, by
     *   lower-case name, as soon as they are there.
     * @param bool $isRepeatable Sending it twice does no harm.
     */
    public function __construct(
        public readonly string $method,
        public readonly string $url,
        public readonly array $headers,
        public readonly ?string $body,
        public readonly float $timeout,
        public readonly ?\Closure $answered = null,
        public readonly bool $isRepeatable = true,
    ) {
    }

    /** The same request with another timeout. */
    public function within(float $timeout): self
    {
        return new self(
            $this->method,
            $this->url,
            $this->headers,
            $this->body,
            $timeout,
            $this->answered,
            $this->isRepeatable,
        );
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
