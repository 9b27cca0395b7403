<?php

declare(strict_types=1);

namespace Ramz;

/** Options of one call, in place of the client's or beside them: `$client->verify->get($id, options: new CallOptions(timeout: 3))`. */
final class CallOptions
{
    public readonly ?\Closure $onResponse;

    /**
     * @param float|null $timeout Seconds for each attempt; in a watch, until the first message.
     * @param float|null $totalTimeout Seconds for the call with all its attempts and pauses. A watch takes none.
     * @param int|null $maxRetries How often the call is repeated at most; 0: never.
     * @param array<string, string> $headers Sent beside the client's headers; those of the call win.
     * @param (callable(ResponseInfo): void)|null $onResponse Called after each attempt, after the client's own.
     */
    public function __construct(
        public readonly ?float $timeout = null,
        public readonly ?float $totalTimeout = null,
        public readonly ?int $maxRetries = null,
        #[\SensitiveParameter] public readonly array $headers = [],
        ?callable $onResponse = null,
    ) {
        $this->onResponse = $onResponse === null ? null : \Closure::fromCallable($onResponse);
    }

    /**
     * Keeps headers out of dumps: a gateway's may be secret.
     *
     * @return array<string, mixed>
     */
    public function __debugInfo(): array
    {
        $shown = ['timeout' => $this->timeout, 'totalTimeout' => $this->totalTimeout, 'maxRetries' => $this->maxRetries];
        return $shown + ['headers' => \array_keys($this->headers)];
    }
}
