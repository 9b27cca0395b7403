<?php

declare(strict_types=1);

namespace Ramz\Internal;

use Ramz\Error\ApiError;
use Ramz\Error\AuthenticationError;
use Ramz\Error\ConflictError;
use Ramz\Error\InvalidRequestError;
use Ramz\Error\NotFoundError;
use Ramz\Error\PermissionDeniedError;
use Ramz\Error\RateLimitError;
use Ramz\Error\ServerError;
use Ramz\Http\Response;

/**
 * What an answer says, or the error it is.
 *
 * @internal
 */
final class Answers
{
    /** Of a body, decompressed. No answer of the service comes near it; what does is somebody else's. */
    public const MOST_BYTES = 16 * 1024 * 1024;

    /** Members of an error that have properties of their own. */
    private const NAMED = ['code' => 1, 'message' => 1, 'field' => 1, 'request_id' => 1];

    private const DATE = 'D, d M Y H:i:s \G\M\T';

    /**
     * @template T
     *
     * @param array<string, string|null> $ids Fields of the answer that are never empty; null: whichever they are.
     * @param \Closure(array<mixed>): T $read
     *
     * @return T
     *
     * @throws ApiError
     */
    public static function read(Response $response, Secret $key, array $ids, \Closure $read): mixed
    {
        if (\strlen($response->body) > self::MOST_BYTES) {
            throw self::tooLarge($response->status);
        }
        $isGood = $response->status >= 200 && $response->status < 300;
        // Whoever refuses in the service's place may repeat what it was sent.
        $data = self::decode($isGood ? $response->body : Foreign::masked($response->body, $key));
        if (!$isGood || $data === null) {
            throw self::error($response, $key, $isGood ? [] : $data ?? []);
        }
        try {
            self::checkIds($data, $ids);
            return $read($data);
        } catch (Mismatch $mismatch) {
            $message = $mismatch->getMessage();
        }
        throw Foreign::answer($response, $key, $message);
    }

    /** For transports: what they have not read to its end. */
    public static function tooLarge(int $status): ServerError
    {
        return new ServerError('larger than any answer of Ramz', status: $status);
    }

    /** @return array<mixed>|null Null for what is no object. */
    public static function decode(string $body): ?array
    {
        $data = \json_decode($body, true, 512, \JSON_INVALID_UTF8_SUBSTITUTE);
        // PHP makes an array of a list, too.
        return \is_array($data) && \str_starts_with(\ltrim($body), '{') ? $data : null;
    }

    /**
     * @param array<mixed> $data
     * @param array<string, string|null> $ids
     *
     * @throws Mismatch The answer is about something else: it may be somebody else's.
     */
    private static function checkIds(array $data, array $ids): void
    {
        foreach ($ids as $name => $asked) {
            $found = Json::text($data, $name);
            if ($found === '') {
                throw new Mismatch("{$name} is missing");
            }
            if ($asked !== null && $asked !== '' && $found !== $asked) {
                throw new Mismatch("another {$name} than asked for");
            }
        }
    }

    /**
     * The error that an answer is: the service's where it has a code, else one of somebody on the way.
     *
     * @param array<mixed> $data
     */
    private static function error(Response $response, Secret $key, array $data): ApiError
    {
        $error = \is_array($data['error'] ?? null) ? $data['error'] : [];
        $text = static fn (string $name): string => \is_string($error[$name] ?? null) ? $error[$name] : '';
        $retryAfter = self::retryAfter($response);
        // Of the contract's shape: others have codes, too.
        if (\preg_match('/^[a-z][a-z0-9_]*$/D', $text('code')) !== 1) {
            return Foreign::answer($response, $key, retryAfter: $retryAfter);
        }
        $class = self::classOf($response->status);
        $headers = Foreign::headers($response, $key);
        return new $class(
            message: $text('message') !== '' ? $text('message') : "HTTP {$response->status}",
            errorCode: $text('code'),
            status: $response->status,
            field: \is_string($error['field'] ?? null) ? $error['field'] : null,
            requestId: $text('request_id') !== '' ? $text('request_id') : ($headers['x-request-id'] ?? ''),
            retryAfter: $retryAfter,
            details: \array_diff_key($error, self::NAMED),
            headers: $headers,
        );
    }

    /**
     * Seconds, from `retry-after-ms`, which only some proxies write, or from `Retry-After`. A date is measured by the clock
     * of the answer: ours may be another. One that is over says nothing.
     */
    private static function retryAfter(Response $response): int|float|null
    {
        $milliseconds = $response->header('retry-after-ms');
        if (\preg_match('/^\d{1,9}$/D', $milliseconds) === 1) {
            return (int) $milliseconds / 1000;
        }
        $text = $response->header('retry-after');
        if (\preg_match('/^\d{1,9}$/D', $text) === 1) {
            return (int) $text;
        }
        [$until, $now] = [self::date($text), self::date($response->header('date'))];
        return $until !== null && $now !== null && $until >= $now ? $until - $now : null;
    }

    /** Unix time of a date in RFC 9110's form; null for what is none. */
    private static function date(string $text): ?int
    {
        $date = \DateTimeImmutable::createFromFormat(self::DATE, $text, new \DateTimeZone('UTC'));
        // PHP takes October 99th for a day in January.
        return $date !== false && $date->format(self::DATE) === $text ? $date->getTimestamp() : null;
    }

    /** @return class-string<ApiError> */
    private static function classOf(int $status): string
    {
        return match (true) {
            $status === 401 => AuthenticationError::class,
            $status === 403 => PermissionDeniedError::class,
            $status === 404 => NotFoundError::class,
            $status === 409 => ConflictError::class,
            $status === 429 => RateLimitError::class,
            $status >= 400 && $status < 500 => InvalidRequestError::class,
            default => ServerError::class,
        };
    }
}
