<?php

declare(strict_types=1);

namespace Ramz\Internal;

use Ramz\Error\ConfigurationError;

/**
 * Turns what callers give into what requests hold.
 *
 * @internal
 */
final class Arguments
{
    /**
     * One segment of a path.
     *
     * @throws ConfigurationError It is empty or would lead to another path.
     */
    public static function segment(string $name, string $value): string
    {
        if (\in_array($value, ['', '.', '..'], true)) {
            throw new ConfigurationError("{$name} must be an identifier, not " . ($value === '' ? 'empty' : $value));
        }
        return \rawurlencode($value);
    }

    public static function time(?\DateTimeInterface $time): ?string
    {
        return Timestamp::write($time);
    }

    /**
     * @param Input|array<string, mixed>|null $value
     *
     * @return array<string, mixed>|object|null
     */
    public static function one(Input|array|null $value): array|object|null
    {
        $fields = $value instanceof Input ? $value->toRequest() : $value;
        // Null is "not given" further in, too: the service refuses it.
        $given = $fields === null ? null : Json::given($fields);
        return $given === [] ? new \stdClass() : $given;
    }

    /**
     * @param list<Input|array<string, mixed>>|null $values
     *
     * @return list<array<string, mixed>|object|null>|null
     */
    public static function many(?array $values): ?array
    {
        return $values === null ? null : \array_map(self::one(...), \array_values($values));
    }
}
