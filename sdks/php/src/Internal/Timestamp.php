<?php

declare(strict_types=1);

namespace Ramz\Internal;

/**
 * Times as the contract writes them: RFC 3339.
 *
 * @internal
 */
final class Timestamp
{
    private const FORM = '/^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)$/iD';

    /** In UTC, to the microsecond. Null for what is no time. */
    public static function read(string $text): ?\DateTimeImmutable
    {
        if (\preg_match(self::FORM, $text, $part) !== 1) {
            return null;
        }
        [, $date, $time, $fraction, $zone] = $part;
        $micros = \substr(\str_pad($fraction, 6, '0'), 0, 6);
        // PHP takes the 30th of February for the 2nd of March.
        [$year, $month, $day] = \array_map(\intval(...), \explode('-', $date));
        if (!\checkdate($month, $day, $year)) {
            return null;
        }
        $read = \DateTimeImmutable::createFromFormat('Y-m-d H:i:s.u P', "{$date} {$time}.{$micros} {$zone}");
        return $read === false ? null : $read->setTimezone(new \DateTimeZone('UTC'));
    }

    /** In UTC, with milliseconds where there are any. */
    public static function write(?\DateTimeInterface $time): ?string
    {
        if ($time === null) {
            return null;
        }
        $utc = \DateTimeImmutable::createFromInterface($time)->setTimezone(new \DateTimeZone('UTC'));
        return $utc->format($utc->format('v') === '000' ? 'Y-m-d\TH:i:s\Z' : 'Y-m-d\TH:i:s.v\Z');
    }
}
