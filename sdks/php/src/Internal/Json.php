<?php

declare(strict_types=1);

namespace Ramz\Internal;

/**
 * Reads decoded JSON field by field. What is unknown is passed over, what is missing or null has its default: an answer of
 * a newer service must not break an older client. What is not of its type throws a Mismatch: it is no answer of Ramz.
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
        return $value === null || \is_string($value) ? $value : throw self::mismatch($key, 'a string');
    }

    /** @param array<mixed> $data */
    public static function flag(array $data, string $key): bool
    {
        return self::flagOrNull($data, $key) ?? false;
    }

    /** @param array<mixed> $data */
    public static function flagOrNull(array $data, string $key): ?bool
    {
        $value = $data[$key] ?? null;
        return $value === null || \is_bool($value) ? $value : throw self::mismatch($key, 'true or false');
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
        return match (true) {
            $value === null => null,
            \is_int($value) || $isWhole => (int) $value,
            default => throw self::mismatch($key, 'a whole number'),
        };
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
        return match (true) {
            $value === null => null,
            \is_int($value) || \is_float($value) => (float) $value,
            default => throw self::mismatch($key, 'a number'),
        };
    }

    /** @param array<mixed> $data */
    public static function time(array $data, string $key): ?\DateTimeImmutable
    {
        $text = self::textOrNull($data, $key);
        return $text === null ? null : Timestamp::read($text) ?? throw self::mismatch($key, 'a time');
    }

    /**
     * @param array<mixed> $data
     *
     * @return array<mixed>
     */
    public static function map(array $data, string $key): array
    {
        $value = $data[$key] ?? [];
        // As `object` writes one that is empty.
        $value = $value instanceof \ArrayObject ? $value->getArrayCopy() : $value;
        // An empty one may be an object or a list: PHP does not tell them apart.
        return \is_array($value) && (!\array_is_list($value) || $value === []) ? $value : throw self::mismatch($key, 'an object');
    }

    /**
     * @param array<mixed> $data
     *
     * @return list<mixed>
     */
    public static function list(array $data, string $key): array
    {
        $value = $data[$key] ?? [];
        return \is_array($value) && \array_is_list($value) ? $value : throw self::mismatch($key, 'a list');
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
        $items = \array_map(static fn (mixed $item): mixed => $read([$key => $item], $key), self::list($data, $key));
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
        return isset($data[$key]) ? $read(self::map($data, $key)) : null;
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
        $one = static fn (mixed $item): object => $read(self::map([$key => $item], $key));
        return \array_map($one, self::list($data, $key));
    }

    /**
     * @template T of scalar
     *
     * @param array<mixed> $data
     * @param \Closure(array<mixed>, string): (T|null) $read One of the readers above, for each value.
     *
     * @return array<string, T>
     */
    public static function entries(array $data, string $key, \Closure $read): array
    {
        $entries = [];
        foreach (self::map($data, $key) as $name => $value) {
            $entries[(string) $name] = $read([$key => $value], $key);
        }
        return \array_filter($entries, static fn (mixed $value): bool => $value !== null);
    }

    /**
     * What JSON writes as an object, empty or not: `[]` would be a list.
     *
     * @param array<string, mixed> $entries
     *
     * @return array<string, mixed>|\ArrayObject<string, mixed>
     */
    public static function object(array $entries): array|\ArrayObject
    {
        return $entries === [] ? new \ArrayObject() : $entries;
    }

    private static function mismatch(string $key, string $wanted): Mismatch
    {
        return new Mismatch("{$key} is not {$wanted}");
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
