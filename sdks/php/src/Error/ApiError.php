<?php

declare(strict_types=1);

namespace Ramz\Error;

use Ramz\Internal\Ascii;

/**
 * The service answered that it did not do what was asked. The message is the service's own; `getCode()` is the HTTP
 * status.
 */
abstract class ApiError extends RamzError
{
    /**
     * @param string $errorCode One of {@see \Ramz\Value\ErrorCode} or one that is newer; empty where the answer is
     *   not one of Ramz.
     * @param int $status HTTP status.
     * @param string|null $field Field of the request at fault, e.g. `cascade[0].channel`.
     * @param string $requestId Finds the call in the logs of the service; empty where the answer has none.
     * @param int|float|null $retryAfter Seconds after which the call may succeed.
     * @param array<string, mixed> $details What else the error says, e.g. `session_id`, `resend_after`.
     * @param array<string, string> $headers Of the answer, by lower-case name; without the API key, even where something
     *   sent it back. Empty in a stream.
     * @param string $body The first 1,024 characters of an answer that is not one of Ramz; else empty.
     */
    final public function __construct(
        string $message,
        public readonly string $errorCode = '',
        public readonly int $status = 0,
        public readonly ?string $field = null,
        public readonly string $requestId = '',
        public readonly int|float|null $retryAfter = null,
        public readonly array $details = [],
        public readonly array $headers = [],
        public readonly string $body = '',
    ) {
        parent::__construct($message, $status);
    }

    /** A header of the answer, whatever the case of its name. Empty where there is none. */
    public function header(string $name): string
    {
        return $this->headers[Ascii::lower($name)] ?? '';
    }
}
