<?php

declare(strict_types=1);

namespace Ramz\Internal;

use Ramz\Error\ConfigurationError;

/**
 * Values of options, checked. No message shows a header's value: it may be secret.
 *
 * @internal
 */
final class Check
{
    /** What the package sets itself, or its transport. */
    private const OWN_HEADERS = [
        'accept', 'accept-encoding', 'authorization', 'connection', 'connect-protocol-version', 'content-length',
        'content-type', 'host', 'idempotency-key', 'transfer-encoding', 'user-agent',
    ];

    public static function seconds(string $name, float $seconds): float
    {
        if (!($seconds > 0) || \is_infinite($seconds)) {
            throw new ConfigurationError("{$name} must be a number of seconds above 0");
        }
        return $seconds;
    }

    public static function count(string $name, int $count): int
    {
        if ($count < 0) {
            throw new ConfigurationError("{$name} must be 0 or more");
        }
        return $count;
    }

    /**
     * @param array<mixed> $given
     *
     * @return array<string, string> By lower-case name.
     */
    public static function headers(#[\SensitiveParameter] array $given): array
    {
        $checked = [];
        foreach ($given as $name => $value) {
            // RFC 9110, section 5.6.2. PHP makes array keys of digits integers.
            if (\preg_match('/^[\w!#$%&\'*+.^`|~-]+$/D', (string) $name) !== 1 || \is_int($name)) {
                throw new ConfigurationError('headers: ' . \json_encode($name) . ' is not the name of a header');
            }
            $lower = Ascii::lower($name);
            if (\in_array($lower, self::OWN_HEADERS, true)) {
                throw new ConfigurationError("headers: {$name} is set by the package itself");
            }
            if (!\is_string($value) || \preg_match('/^([!-~]([ -~]*[!-~])?)?$/D', $value) !== 1) {
                throw new ConfigurationError("headers: {$name} must be printable ASCII, no space at either end");
            }
            $checked[$lower] = $value;
        }
        return $checked;
    }

    public static function userAgent(?string $given): string
    {
        if ($given !== null && \preg_match('/^[ -~]*[!-~][ -~]*$/D', $given) !== 1) {
            throw new ConfigurationError('userAgent must be printable ASCII, such as my-shop/1.2');
        }
        return \trim((string) $given);
    }
}
