<?php

declare(strict_types=1);

namespace Ramz\Testing;

/**
 * The fake service refuses a call.
 *
 * @internal
 */
final class FakeFailure extends \Exception
{
    /** @param array<string, mixed> $details Members of the error. */
    public function __construct(
        public readonly string $errorCode,
        string $message,
        public readonly array $details = [],
        public readonly ?int $retryAfter = null,
    ) {
        parent::__construct($message);
    }
}
