<?php

declare(strict_types=1);

namespace Ramz;

use Ramz\Internal\Ascii;

/** One attempt of a call, successful or not. As a string it is one line for a log. It holds no key, no number and no code. */
final class ResponseInfo implements \Stringable
{
    /**
     * @param string $operation `verify.send`
     * @param int $attempt 1 for the first attempt.
     * @param int $status HTTP status; 0 where no response came.
     * @param string $requestId Identifies the request in the logs of the service; empty where there is none.
     * @param float $duration Seconds that the attempt took.
     * @param array<string, string> $headers Headers of the response by lower-case name, without the API key where something
     *   sent it back. Empty where no response came.
     */
    public function __construct(
        public readonly string $operation,
        public readonly int $attempt,
        public readonly int $status,
        public readonly string $requestId,
        public readonly float $duration,
        public readonly array $headers,
    ) {
    }

    /** A header of the response, whatever the case of its name. Empty where there is none. */
    public function header(string $name): string
    {
        return $this->headers[Ascii::lower($name)] ?? '';
    }

    public function __toString(): string
    {
        $outcome = $this->status === 0 ? 'no response' : "HTTP {$this->status}";
        $id = $this->requestId === '' ? '' : " ({$this->requestId})";
        return \sprintf('%s, attempt %d: %s in %.3F s%s', $this->operation, $this->attempt, $outcome, $this->duration, $id);
    }
}
