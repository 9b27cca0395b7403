<?php

declare(strict_types=1);

namespace Ramz\Http;

use Ramz\Internal\Ascii;

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
        $byLowerName = [];
        foreach ($headers as $name => $value) {
            $byLowerName[Ascii::lower((string) $name)] = $value;
        }
        $this->headers = $byLowerName;
    }

    /** Empty where there is none. */
    public function header(string $name): string
    {
        return $this->headers[Ascii::lower($name)] ?? '';
    }
}
