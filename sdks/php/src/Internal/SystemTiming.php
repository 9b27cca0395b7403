<?php

declare(strict_types=1);

namespace Ramz\Internal;

/** @internal */
final class SystemTiming implements Timing
{
    public function sleep(float $seconds): void
    {
        \usleep((int) \round($seconds * 1_000_000));
    }

    /** Not mt_rand(): processes that were forked from one would all wait the same. */
    public function random(): float
    {
        return \random_int(0, 1_000_000) / 1_000_000;
    }

    public function now(): float
    {
        return \hrtime(true) / 1e9;
    }
}
