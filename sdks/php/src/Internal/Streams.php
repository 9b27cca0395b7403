<?php

declare(strict_types=1);

namespace Ramz\Internal;

use Ramz\Error\NetworkError;
use Ramz\Error\RateLimitError;
use Ramz\Http\Request;
use Ramz\Http\StreamingTransport;

/**
 * The connections of one watch, one after another: streams of the Connect protocol.
 *
 * @internal
 */
final class Streams
{
    /** @param array<string, string> $headers By lower-case name. */
    public function __construct(
        private readonly StreamingTransport $transport,
        private readonly string $url,
        #[\SensitiveParameter] private readonly array $headers,
        private readonly Secret $key,
        private readonly float $timeout,
        private readonly Reporter $reporter,
    ) {
    }

    /**
     * @param array<string, mixed> $fields
     *
     * @return \Generator<int, array<mixed>>
     *
     * @throws NetworkError
     * @throws RateLimitError
     * @throws Mismatch
     */
    public function open(array $fields): \Generator
    {
        $body = Envelopes::write(Operation::encode($fields));
        $answered = $this->reporter->end(...);
        $request = new Request('POST', $this->url, $this->headers, $body, $this->timeout, $answered);
        $this->reporter->begin();
        try {
            yield from Envelopes::read($this->transport->stream($request), $this->key);
        } catch (NetworkError $error) {
            $this->reporter->end(0, []);
            throw $error;
        }
    }

    /** Whether a hook threw it. */
    public function isEndedBy(\Throwable $error): bool
    {
        return $error === $this->reporter->thrown();
    }

    /**
     * Keeps the key out of dumps.
     *
     * @return array<string, mixed>
     */
    public function __debugInfo(): array
    {
        return ['url' => $this->url];
    }
}
