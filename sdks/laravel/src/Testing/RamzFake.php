<?php

declare(strict_types=1);

namespace Ramz\Laravel\Testing;

use PHPUnit\Framework\Assert;
use Ramz\Laravel\RamzManager;
use Ramz\Testing\FakeClient;
use Ramz\Testing\SentCode;

/**
 * What `Ramz::fake()` answers: everything goes to a service in memory. Its codes are zeros; {@see FakeClient} says how
 * numbers are refused and faults played: `$fake->service()->refuse('+213…', 'unsupported_destination')`.
 */
final class RamzFake extends RamzManager
{
    private readonly FakeClient $service;

    public function __construct()
    {
        $this->service = new FakeClient();
        parent::__construct(fn (): FakeClient => $this->service);
    }

    public function service(): FakeClient
    {
        return $this->service;
    }

    /** The code that the number got last, for a test that types it in. */
    public function codeFor(string $to): string
    {
        $sent = $this->service->sent($to);
        Assert::assertNotSame([], $sent, "No code was sent to {$to}.");
        return $sent[\count($sent) - 1]->code;
    }

    /** @param callable(SentCode): bool|null $matches Of one of them it must be true. */
    public function assertSent(string $to, ?callable $matches = null): void
    {
        $sent = \array_filter($this->service->sent($to), $matches ?? static fn (): bool => true);
        $which = $matches === null ? '' : ' that is as it must be';
        Assert::assertNotEmpty($sent, "No code{$which} was sent to {$to}.");
    }

    public function assertNotSent(string $to): void
    {
        Assert::assertSame([], $this->service->sent($to), "A code was sent to {$to}.");
    }

    /** Resends count, too. */
    public function assertSentCount(int $count): void
    {
        Assert::assertCount($count, $this->service->sent(), 'Not as many codes were sent.');
    }

    public function assertNothingSent(): void
    {
        Assert::assertSame([], $this->service->sent(), 'Codes were sent.');
    }
}
