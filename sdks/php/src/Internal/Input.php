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
}
