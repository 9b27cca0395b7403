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

    /**
     * @return array<mixed>
     *
     * @throws ApiError
     */
    public static function read(Response $response): array
    {
        if (\strlen($response->body) > self::MOST_BYTES) {
            throw self::tooLarge($response->status);
        }
        $isGood = $response->status >= 200 && $response->status < 300;
        $data = \json_decode($response->body, true, 512, \JSON_INVALID_UTF8_SUBSTITUTE);
        if ($isGood && \is_array($data)) {
            return $data;
        }
        $error = !$isGood && \is_array($data) ? Json::map($data, 'error') : [];
        $class = self::classOf($response->status);
        $requestId = Json::text($error, 'request_id');
        $retryAfter = $response->header('retry-after');
        throw new $class(
            message: Json::textOrNull($error, 'message') ?? "HTTP {$response->status}",
            errorCode: Json::text($error, 'code'),
            status: $response->status,
            field: Json::textOrNull($error, 'field'),
            requestId: $requestId !== '' ? $requestId : $response->header('x-request-id'),
            retryAfter: \preg_match('/^\d{1,9}$/D', $retryAfter) === 1 ? (int) $retryAfter : null,
            details: \array_diff_key($error, self::NAMED),
        );
    }

    /** For transports: what they have not read to its end. */
    public static function tooLarge(int $status): ApiError
    {
        $class = self::classOf($status);
        return new $class('larger than any answer of Ramz', status: $status);
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
