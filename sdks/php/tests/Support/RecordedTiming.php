<?php

declare(strict_types=1);

namespace Ramz\Tests\Support;

use Ramz\Internal\Timing;

/** Does not wait, but keeps how long it would have. */
final class RecordedTiming implements Timing
{
    /** @var list<float> Milliseconds. */
    public array $waits = [];
    /** Seconds. It stands still but for pauses, and for what a transport adds. */
    public float $now = 0.0;

    public function __construct(public float $chance = 0.5)
    {
    }

    public function sleep(float $seconds): void
    {
        $this->waits[] = $seconds * 1000;
        $this->now += $seconds;
    }

    public function random(): float
    {
        return $this->chance;
    }

    public function now(): float
    {
        return $this->now;
    }
}
