<?php

declare(strict_types=1);

namespace Ramz\Testing;

use Ramz\Client;

/**
 * A client whose service is in memory: for tests without a network. Codes are zeros. It keeps the rules that callers
 * notice (30 seconds between resends, five tries, ten minutes), by a clock that stands still until {@see advance()}.
 */
class FakeClient extends Client
{
    private readonly FakeService $service;

    public function __construct()
    {
        $this->service = new FakeService();
        parent::__construct(
            apiKey: 'ramz_test_fake',
            baseUrl: 'https://ramz.invalid',
            maxRetries: 0,
            httpClient: $this->service,
            timing: $this->service->clock,
        );
    }

    /**
     * From now on sends to the number are refused.
     *
     * @param string $to As E.164: `+213550000001`.
     * @param string $code An error code, e.g. `unsupported_destination`: {@see \Ramz\Value\ErrorCode}.
     */
    public function refuse(string $to, string $code): void
    {
        $this->service->refusals[$to] = $code;
    }

    /**
     * The next calls, whatever they are, answer this error.
     *
     * @param string $code An error code, e.g. `overloaded`: {@see \Ramz\Value\ErrorCode}.
     */
    public function failNext(string $code, int $times = 1): void
    {
        \array_push($this->service->failures, ...\array_fill(0, $times, $code));
    }

    /** The next calls, whatever they are, get no answer: a {@see \Ramz\Error\NetworkError}. */
    public function dropNext(int $times = 1): void
    {
        \array_push($this->service->failures, ...\array_fill(0, $times, null));
    }

    /**
     * Says what an operation answers that the fake does not know: all but those of `verify`, and `accounts->get()`.
     *
     * @param string $path E.g. `/v1/webhook_endpoints`.
     * @param array<string, mixed> $body As the service would answer it.
     */
    public function answer(string $method, string $path, array $body, int $status = 200): void
    {
        $this->service->answers["{$method} {$path}"] = [$status, $body];
    }

    /**
     * The codes that were sent, oldest first; resends too.
     *
     * @return list<SentCode>
     */
    public function sent(?string $to = null): array
    {
        $isWanted = static fn (SentCode $one): bool => $to === null || $one->to === $to;
        return \array_values(\array_filter($this->service->sessions->sent, $isWanted));
    }

    /**
     * The calls that were made, oldest first, refused ones too.
     *
     * @return list<FakeCall>
     */
    public function calls(): array
    {
        return $this->service->calls;
    }

    /** Moves the clock. */
    public function advance(int $seconds): void
    {
        $this->service->clock->sleep((float) $seconds);
    }

    /** What the fake's clock says. */
    public function now(): \DateTimeImmutable
    {
        return $this->service->clock->time();
    }
}
