<?php

declare(strict_types=1);

namespace Ramz\Internal;

/**
 * Waiting and chance, so that tests need neither.
 *
 * @internal
 */
interface Timing
{
    public function sleep(float $seconds): void;

    /** From 0 to 1. */
    public function random(): float;

    /** Seconds of a clock that nobody sets. */
    public function now(): float;
}
