<?php

declare(strict_types=1);

namespace Ramz\Internal;

use Ramz\Error\ServerError;
use Ramz\Http\Response;

/**
 * What is not an answer of Ramz: a proxy's page, a redirect, JSON of somebody else. Always a ServerError, because whoever
 * uses the application has no part in it. The rules of its text are in sdks/README.md.
 *
 * @internal
 */
final class Foreign
{
    private const PREFIX = 'not an answer of Ramz';
    /** Characters of the body that the error keeps, and those in its message. */
    private const KEPT = 1024;
    private const SHOWN = 80;
    /** Space, and the mark of UTF-8. */
    private const BEFORE_JSON = " \t\r\n\xEF\xBB\xBF";
    private const ADDRESS = '~^(https?://)(?:[^/?#\s]*@)?([\w.:\[\]-]+)(?:[/?#]|$)~Di';
    private const MEDIA_TYPE = '~^\s*([\w.+-]+/[\w.+-]+)\s*(?:;|$)~D';

    /**
     * @param Secret $key Something on the way may print what it was sent: the key is cut out of everything.
     * @param string $mismatch What is wrong with an object of success. Its text is not kept: it may hold numbers and
     *   secrets.
     */
    public static function answer(
        Response $response,
        Secret $key,
        string $mismatch = '',
        int|float|null $retryAfter = null,
    ): ServerError {
        $headers = self::headers($response, $key);
        $isSuccess = $response->status >= 200 && $response->status < 300;
        if ($mismatch === '' && $isSuccess && \str_starts_with(\ltrim($response->body, self::BEFORE_JSON), '{')) {
            // It begins as an object of success, though it is none to its end.
            $mismatch = 'not the JSON of an answer';
        }
        $isRedirect = $response->status >= 300 && $response->status < 400;
        $body = $mismatch === '' ? self::first(self::KEPT, self::masked($response->body, $key)) : '';
        $about = match (true) {
            $mismatch !== '' => ' (' . self::masked($mismatch, $key) . ')',
            $isRedirect && \preg_match(self::ADDRESS, $headers['location'] ?? '', $part) === 1
                => " to {$part[1]}{$part[2]}/… (set base_url to that)",
            default => self::mediaType($headers) . self::excerpt($body),
        };
        return new ServerError(
            self::PREFIX . ": HTTP {$response->status}{$about}",
            status: $response->status,
            requestId: $headers['x-request-id'] ?? '',
            retryAfter: $retryAfter,
            headers: $headers,
            body: $body,
        );
    }

    /**
     * Headers without the key, and without the user and password of a redirect.
     *
     * @return array<string, string>
     */
    public static function headers(Response $response, Secret $key): array
    {
        $headers = \array_map(static fn (string $value): string => self::masked($value, $key), $response->headers);
        if (isset($headers['location'])) {
            $headers['location'] = (string) \preg_replace('~//[^/?#\s]*@~', '//***@', $headers['location'], 1);
        }
        return $headers;
    }

    /** Text without the key. */
    public static function masked(string $text, Secret $key): string
    {
        return \str_replace($key->reveal(), '***', $text);
    }

    /** @param array<string, string> $headers */
    private static function mediaType(array $headers): string
    {
        $isFound = \preg_match(self::MEDIA_TYPE, $headers['content-type'] ?? '', $part) === 1;
        return $isFound ? ' ' . Ascii::lower($part[1]) : '';
    }

    private static function excerpt(string $body): string
    {
        $line = \trim((string) \preg_replace('/[\p{Cc}\x{2028}\x{2029} ]+/u', ' ', $body), ' ');
        $start = self::first(self::SHOWN, $line);
        return $line === '' ? '' : ": \"{$start}" . ($start === $line ? '"' : '…"');
    }

    /** Characters; bytes that are not UTF-8 become U+FFFD. */
    private static function first(int $count, string $text): string
    {
        // A character has four bytes at most. JSON repairs them, where mbstring may be missing.
        $json = \json_encode(\substr($text, 0, 4 * $count + 4), \JSON_INVALID_UTF8_SUBSTITUTE | \JSON_THROW_ON_ERROR);
        \preg_match("/^.{0,{$count}}/su", (string) \json_decode($json), $part);
        return $part[0] ?? '';
    }
}
