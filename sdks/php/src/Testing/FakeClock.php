<?php

declare(strict_types=1);

namespace Ramz\Testing;

use Ramz\Internal\Timestamp;
use Ramz\Internal\Timing;

/**
 * A clock that stands still: sleeping moves it.
 *
 * @internal
 */
final class FakeClock implements Timing
{
    public function __construct(private \DateTimeImmutable $now)
    {
    }

    public function sleep(float $seconds): void
    {
        $this->now = $this->now->modify('+' . (int) \ceil($seconds * 1000) . ' milliseconds');
    }

    public function random(): float
    {
        return 0.5;
    }

    public function now(): float
    {
        return (float) $this->now->format('U.u');
    }

    public function time(): \DateTimeImmutable
    {
        return $this->now;
    }

    /** As the contract writes it. */
    public function text(int $plusSeconds = 0): string
    {
        return (string) Timestamp::write($this->now->modify("+{$plusSeconds} seconds"));
    }
}
