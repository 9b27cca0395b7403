<?php

declare(strict_types=1);

namespace Ramz\Internal;

use Ramz\Error\ApiError;
use Ramz\Error\NetworkError;
use Ramz\Value\ErrorCode;

/**
 * Whether a failed call is made again, and after how long.
 *
 * @internal
 */
final class Retries
{
    private const FIRST_SECONDS = 0.5;
    private const MOST_SECONDS = 8.0;
    /** A longer Retry-After is the caller's to keep. */
    private const MOST_RETRY_AFTER = 60;
    /** Where the answer has no code that this version knows. */
    private const STATUSES = [500, 502, 503, 504];

    /**
     * @param int $repeats Repeats so far.
     *
     * @return float|null Seconds; null: not again.
     */
    public static function pause(
        ApiError|NetworkError $error,
        bool $isRepeatable,
        int $repeats,
        Timing $timing,
    ): ?float {
        if (!self::mayPass($error, $isRepeatable)) {
            return null;
        }
        $retryAfter = $error instanceof ApiError ? $error->retryAfter : null;
        if ($retryAfter !== null) {
            return $retryAfter > self::MOST_RETRY_AFTER ? null : $retryAfter * (1 + $timing->random() / 10);
        }
        $most = \min(self::MOST_SECONDS, self::FIRST_SECONDS * 2 ** $repeats);
        return $most * (1 + $timing->random()) / 2;
    }

    /** The service may have done what the attempt asked for: it did not answer, or failed on the way (docs/errors.md). */
    public static function mayBeDone(ApiError|NetworkError $error): bool
    {
        return $error instanceof NetworkError || ($error->status >= 500 && $error->errorCode !== ErrorCode::OVERLOADED);
    }

    /** What the call names is not there. Not `not_found` alone, which is an address that the service does not have. */
    public static function isGone(ApiError|NetworkError $error): bool
    {
        return $error instanceof ApiError && $error->status === 404 && \str_ends_with($error->errorCode, '_not_found');
    }

    private static function mayPass(ApiError|NetworkError $error, bool $isRepeatable): bool
    {
        // What is not repeatable may have been done, unless the service says that it did not take the call.
        if (!$isRepeatable) {
            return $error instanceof ApiError && $error->errorCode === ErrorCode::RATE_LIMITED;
        }
        if ($error instanceof NetworkError) {
            return true;
        }
        // The request did not arrive, whoever says so.
        if ($error->status === 408) {
            return true;
        }
        if (\in_array($error->errorCode, ErrorCode::KNOWN, true)) {
            return \in_array($error->errorCode, ErrorCode::RETRIED, true);
        }
        return \in_array($error->status, self::STATUSES, true) || ($error->errorCode === '' && self::isOfAProxy($error));
    }

    /** The call did not reach the service. A limit without a time to wait would only be met again. */
    private static function isOfAProxy(ApiError $error): bool
    {
        return $error->status === 425 || ($error->status === 429 && $error->retryAfter !== null);
    }
}
