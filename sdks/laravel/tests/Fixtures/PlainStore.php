<?php

declare(strict_types=1);

namespace Ramz\Laravel\Tests\Fixtures;

use Illuminate\Contracts\Cache\Store;

/** A cache store with nothing but what the contract asks for: it can't add, and has no locks. */
final class PlainStore implements Store
{
    /** @var array<string, mixed> */
    private array $values = [];

    public function get($key): mixed
    {
        return $this->values[$key] ?? null;
    }

    /** @return array<string, mixed> */
    public function many(array $keys): array
    {
        return \array_combine($keys, \array_map($this->get(...), $keys));
    }

    public function put($key, $value, $seconds): bool
    {
        $this->values[$key] = $value;
        return true;
    }

    public function putMany(array $values, $seconds): bool
    {
        $this->values = \array_merge($this->values, $values);
        return true;
    }

    public function increment($key, $value = 1): int
    {
        return $this->values[$key] = (int) $this->get($key) + $value;
    }

    public function decrement($key, $value = 1): int
    {
        return $this->increment($key, -$value);
    }

    public function forever($key, $value): bool
    {
        return $this->put($key, $value, 0);
    }

    public function forget($key): bool
    {
        unset($this->values[$key]);
        return true;
    }

    public function flush(): bool
    {
        $this->values = [];
        return true;
    }

    public function touch($key, $seconds): bool
    {
        return isset($this->values[$key]);
    }

    public function getPrefix(): string
    {
        return '';
    }
}
