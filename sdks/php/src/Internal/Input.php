<?php

declare(strict_types=1);

namespace Ramz\Internal;

/**
 * A model that can be part of a request.
 *
 * @internal
 */
interface Input
{
    /** @return array<string, mixed> */
    public function toRequest(): array;

    /**
     * How those of its fields are written that are more than plain values.
     *
     * @return array<string, \Closure(mixed): mixed>
     */
    public static function writers(): array;
}
