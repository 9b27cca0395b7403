<?php

declare(strict_types=1);

namespace Ramz\Internal;

/**
 * Names that are ASCII by their standard: of headers, media types and URI schemes.
 *
 * @internal
 */
final class Ascii
{
    /**
     * In place of `strtolower` and `array_change_key_case`, which follow LC_CTYPE before PHP 8.2: in a Turkish locale they leave
     * the I of `Webhook-Id` as it is.
     */
    public static function lower(string $text): string
    {
        return \strtr($text, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', 'abcdefghijklmnopqrstuvwxyz');
    }
}
