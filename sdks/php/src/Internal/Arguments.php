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
     * A message of the contract. PHP has one type for lists, maps and objects, which are three of JSON: what each of its fields
     * is, its class says. Null is "not given" at any depth; the service refuses it.
     *
     * @param class-string<Input> $class
     *
     * @return mixed An object; what is no message is the service's to refuse.
     */
    public static function one(mixed $value, string $class): mixed
    {
        $fields = $value instanceof Input ? $value->toRequest() : self::plain($value);
        if (!\is_array($fields)) {
            return $fields;
        }
        $writers = $class::writers();
        $write = static fn (mixed $field, int|string $name): mixed
            => isset($writers[$name]) ? $writers[$name]($field) : $field;
        $given = Json::given($fields);
        $names = \array_keys($given);
        return (object) \array_combine($names, \array_map($write, $given, $names));
    }

    /**
     * @param class-string<Input> $class
     *
     * @return mixed A list of objects.
     */
    public static function many(mixed $values, string $class): mixed
    {
        $items = self::list($values);
        return \is_array($items)
            ? \array_map(static fn (mixed $item): mixed => self::one($item, $class), $items)
            : $items;
    }

    /** Without the gaps that `array_filter` leaves: JSON would make an object of it. */
    public static function list(mixed $values): mixed
    {
        $items = self::plain($values);
        return \is_array($items) ? \array_values(Json::given($items)) : $items;
    }

    /** An object also where it is empty, or its keys are those of a list. */
    public static function map(mixed $entries): mixed
    {
        $given = self::plain($entries);
        return \is_array($given) ? (object) Json::given($given) : $given;
    }

    /** What is iterated has no fields of its own, and would be written as an empty object. */
    private static function plain(mixed $value): mixed
    {
        return match (true) {
            $value instanceof \Traversable => \iterator_to_array($value),
            $value instanceof \stdClass => (array) $value,
            default => $value,
        };
    }
}
