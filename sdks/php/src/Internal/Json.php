<?php

declare(strict_types=1);

namespace Ramz\Internal;

/**
 * Reads decoded JSON field by field. What is not of its type is as if it were missing: an answer of a newer service
 * must not break an older client.
 *
 * @internal
 */
final class Json
{
    /** @param array<mixed> $data */
    public static function text(array $data, string $key): string
    {
        return self::textOrNull($data, $key) ?? '';
    }

    /** @param array<mixed> $data */
    public static function textOrNull(array $data, string $key): ?string
    {
        $value = $data[$key] ?? null;
        return \is_string($value) ? $value : null;
    }

    /** @param array<mixed> $data */
    public static function flag(array $data, string $key): bool
    {
        return ($data[$key] ?? null) === true;
    }

    /** @param array<mixed> $data */
    public static function flagOrNull(array $data, string $key): ?bool
    {
        $value = $data[$key] ?? null;
        return \is_bool($value) ? $value : null;
    }

    /** @param array<mixed> $data */
    public static function integer(array $data, string $key): int
    {
        return self::integerOrNull($data, $key) ?? 0;
    }

    /** @param array<mixed> $data */
    public static function integerOrNull(array $data, string $key): ?int
    {
        $value = $data[$key] ?? null;
        // JSON has one kind of number: 15.0 is 15.
        $isWhole = \is_float($value) && \floor($value) === $value && \abs($value) < 2 ** 53;
        return \is_int($value) || $isWhole ? (int) $value : null;
    }

    /** @param array<mixed> $data */
    public static function number(array $data, string $key): float
    {
        return self::numberOrNull($data, $key) ?? 0.0;
    }

    /** @param array<mixed> $data */
    public static function numberOrNull(array $data, string $key): ?float
    {
        $value = $data[$key] ?? null;
        return \is_int($value) || \is_float($value) ? (float) $value : null;
    }

    /** @param array<mixed> $data */
    public static function time(array $data, string $key): ?\DateTimeImmutable
    {
        return Timestamp::read(self::text($data, $key));
    }

    /**
     * @param array<mixed> $data
     *
     * @return array<mixed>
     */
    public static function map(array $data, string $key): array
    {
        $value = $data[$key] ?? null;
        return \is_array($value) ? $value : [];
    }

    /**
     * @template T of scalar
     *
     * @param array<mixed> $data
     * @param \Closure(array<mixed>, string): (T|null) $read One of the readers above, for each item.
     *
     * @return list<T>
     */
    public static function all(array $data, string $key, \Closure $read): array
    {
        $items = \array_map(static fn (mixed $item): mixed => $read(['' => $item], ''), self::map($data, $key));
        return \array_values(\array_filter($items, static fn (mixed $item): bool => $item !== null));
    }

    /**
     * @template T of object
     *
     * @param array<mixed> $data
     * @param \Closure(array<mixed>): T $read
     *
     * @return T|null
     */
    public static function one(array $data, string $key, \Closure $read): ?object
    {
        $value = $data[$key] ?? null;
        return \is_array($value) ? $read($value) : null;
    }

    /**
     * @template T of object
     *
     * @param array<mixed> $data
     * @param \Closure(array<mixed>): T $read
     *
     * @return list<T>
     */
    public static function many(array $data, string $key, \Closure $read): array
    {
        return \array_map($read, \array_values(\array_filter(self::map($data, $key), \is_array(...))));
    }

    /**
     * What is null is absent.
     *
     * @param array<string, mixed> $fields
     *
     * @return array<string, mixed>
     */
    public static function given(array $fields): array
    {
        return \array_filter($fields, static fn (mixed $value): bool => $value !== null);
    }
}
