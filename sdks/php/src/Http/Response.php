<?php

declare(strict_types=1);

namespace Ramz\Http;

/** An answer as a transport brings it. */
final class Response
{
    /** @var array<string, string> By lower-case name. */
    public readonly array $headers;

    /** @param array<string, string> $headers Names in any case. */
    public function __construct(
        public readonly int $status,
        array $headers = [],
        public readonly string $body = '',
    ) {
        $this->headers = \array_change_key_case($headers, \CASE_LOWER);
    }

    /** Empty where there is none. */
    public function header(string $name): string
    {
        return $this->headers[\strtolower($name)] ?? '';
    }
}
