<?php

declare(strict_types=1);

namespace Ramz\Internal;

/** @internal */
final class IdempotencyKey
{
    /** 128 random bits. */
    public static function make(): string
    {
        return \bin2hex(\random_bytes(16));
    }
}
