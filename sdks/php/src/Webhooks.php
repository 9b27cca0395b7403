<?php

declare(strict_types=1);

namespace Ramz;

use Ramz\Error\ConfigurationError;
use Ramz\Error\SignatureError;
use Ramz\Internal\Answers;
use Ramz\Internal\Ascii;
use Ramz\Internal\Mismatch;
use Ramz\Model\WebhookEvent;

/** Webhooks that come in, and signed ones for tests: Standard Webhooks, HMAC-SHA-256 over `id.timestamp.body`. */
final class Webhooks
{
    private const PREFIX = 'whsec_';
    /** A header as long as it may be should not make work. */
    private const MOST_SIGNATURES = 10;

    /**
     * Checks that a webhook is genuine and reads it. Needs the raw body (`file_get_contents('php://input')`): one that
     * was parsed and printed again has another signature.
     *
     * @param array<array-key, mixed> $headers By name in any case, values as strings or lists of strings;
     *   `$_SERVER` will do.
     * @param string|list<string> $secrets The endpoint's secret; both while one rotates.
     * @param int|float $tolerance Seconds that the clocks may be apart, either way: from 0 on.
     * @param int|null $now Unix time. Default: that of the clock.
     *
     * @throws SignatureError It is not genuine.
     * @throws ConfigurationError There is no secret, or it is none; nor is the tolerance.
     */
    public static function verify(
        string $body,
        array $headers,
        #[\SensitiveParameter] string|array $secrets,
        mixed $tolerance = 300,
        ?int $now = null,
    ): WebhookEvent {
        $keys = self::keys($secrets);
        $isNumber = \is_int($tolerance) || (\is_float($tolerance) && \is_finite($tolerance));
        if (!$isNumber || $tolerance < 0) {
            // Nothing is greater than NAN: with it, no webhook would ever be too old.
            throw new ConfigurationError('tolerance must be a number of seconds, 0 or more');
        }
        $now ??= \time();
        $id = self::header($headers, 'webhook-id');
        $timestamp = self::header($headers, 'webhook-timestamp');
        if ($id === '' || \preg_match('/^[0-9]{1,12}$/D', $timestamp) !== 1) {
            throw new SignatureError(SignatureError::MALFORMED);
        }
        if ((int) $timestamp < $now - $tolerance) {
            throw new SignatureError(SignatureError::TOO_OLD);
        }
        if ((int) $timestamp > $now + $tolerance) {
            throw new SignatureError(SignatureError::TOO_NEW);
        }
        if (!self::matches(self::header($headers, 'webhook-signature'), "{$id}.{$timestamp}.{$body}", $keys)) {
            throw new SignatureError(SignatureError::NO_MATCH);
        }
        try {
            return WebhookEvent::fromArray(Answers::decode($body) ?? throw new Mismatch('not an object'));
        } catch (Mismatch) {
            throw new SignatureError(SignatureError::MALFORMED);
        }
    }

    /**
     * Headers that make a body a genuine webhook, for your own tests.
     *
     * @param string|list<string> $secrets Two: as while a secret rotates.
     * @param string|null $id Default: the body's own, else a random one.
     * @param int|null $timestamp Unix time. Default: that of the clock.
     *
     * @return array<string, string>
     *
     * @throws ConfigurationError There is no secret, or it is none.
     */
    public static function sign(
        string $body,
        #[\SensitiveParameter] string|array $secrets,
        ?string $id = null,
        ?int $timestamp = null,
    ): array {
        $own = \json_decode($body, true);
        $id ??= \is_array($own) && \is_string($own['id'] ?? null) ? $own['id'] : 'evt_' . \bin2hex(\random_bytes(13));
        $timestamp ??= \time();
        $signatures = [];
        foreach (self::keys($secrets) as $key) {
            $signatures[] = 'v1,' . \base64_encode(self::digest("{$id}.{$timestamp}.{$body}", $key));
        }
        return [
            'webhook-id' => $id,
            'webhook-timestamp' => (string) $timestamp,
            'webhook-signature' => \implode(' ', $signatures),
        ];
    }

    /** @param list<string> $keys */
    private static function matches(string $header, string $content, #[\SensitiveParameter] array $keys): bool
    {
        $isMatch = false;
        foreach (\array_slice(\explode(' ', $header), 0, self::MOST_SIGNATURES) as $signature) {
            foreach ($keys as $key) {
                $own = 'v1,' . \base64_encode(self::digest($content, $key));
                $isMatch = \hash_equals($own, $signature) || $isMatch;
            }
        }
        return $isMatch;
    }

    private static function digest(string $content, #[\SensitiveParameter] string $key): string
    {
        return \hash_hmac('sha256', $content, $key, true);
    }

    /**
     * @param string|array<mixed> $secrets
     *
     * @return non-empty-list<string>
     */
    private static function keys(#[\SensitiveParameter] string|array $secrets): array
    {
        $keys = [];
        foreach ((array) $secrets as $secret) {
            $isSecret = \is_string($secret) && \str_starts_with($secret, self::PREFIX);
            $key = $isSecret ? \base64_decode(\substr($secret, \strlen(self::PREFIX)), true) : false;
            if ($key === false || \strlen($key) < 24 || \strlen($key) > 64) {
                throw new ConfigurationError('a webhook secret is whsec_ and base64 of 24 to 64 bytes'); // never with the secret in it
            }
            $keys[] = $key;
        }
        if ($keys === []) {
            // An empty list of secrets must not let anything in.
            throw new ConfigurationError('there is no webhook secret');
        }
        return $keys;
    }

    /**
     * Empty where there is none, or more than one.
     *
     * @param array<array-key, mixed> $headers
     */
    private static function header(array $headers, string $name): string
    {
        $found = [];
        foreach ($headers as $key => $value) {
            $plain = \preg_replace('/^http-/', '', \strtr(Ascii::lower((string) $key), '_', '-'));
            if ($plain === $name) {
                $found = [...$found, ...\array_values((array) $value)];
            }
        }
        return \count($found) === 1 && \is_string($found[0]) ? \trim($found[0]) : '';
    }
}
