<?php

declare(strict_types=1);

namespace Ramz\Internal;

/**
 * Keeps a key out of dumps, exports and serialised objects.
 *
 * @internal
 */
final class Secret
{
    private readonly \Closure $reveal;

    public function __construct(#[\SensitiveParameter] string $value)
    {
        // A closure: not even var_export() looks into it, and serialize() refuses it.
        $this->reveal = static fn (): string => $value;
    }

    public function reveal(): string
    {
        return ($this->reveal)();
    }

    /** @return array<string, string> */
    public function __debugInfo(): array
    {
        return ['value' => '…'];
    }
}
