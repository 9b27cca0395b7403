<?php

declare(strict_types=1);

namespace Ramz\Testing;

/** A code that a {@see FakeClient} sent. */
final class SentCode
{
    /** @param int $run 1, and one more with each resend. */
    public function __construct(
        public readonly string $sessionId,
        public readonly string $to,
        public readonly string $code,
        public readonly string $channel,
        public readonly string $purpose,
        public readonly string $language,
        public readonly string $clientReference,
        public readonly int $run,
        public readonly \DateTimeImmutable $sentAt,
    ) {
    }
}
