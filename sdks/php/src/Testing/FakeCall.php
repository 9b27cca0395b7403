<?php

declare(strict_types=1);

namespace Ramz\Testing;

/** A call that was made of a {@see FakeClient}. */
final class FakeCall
{
    /**
     * @param string $path Without the query, e.g. `/v1/verify/send`.
     * @param array<string, mixed> $fields Members of the body, or of the query.
     */
    public function __construct(
        public readonly string $method,
        public readonly string $path,
        public readonly array $fields,
        public readonly ?string $idempotencyKey,
    ) {
    }
}
