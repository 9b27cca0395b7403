<?php

declare(strict_types=1);

namespace Ramz\Internal;

use Ramz\Error\ApiError;
use Ramz\Error\NetworkError;
use Ramz\Http\Response;

/**
 * The attempts of one call: how long each may take, and what follows a failure.
 *
 * @internal
 */
final class Attempts
{
    /** A pause may have taken longer than it should have; no time at all would be no attempt. */
    private const LEAST_SECONDS = 0.001;

    private readonly float $ends;
    /** An attempt may have been done, though it failed. */
    private bool $isInDoubt = false;

    public function __construct(
        private readonly Course $course,
        private readonly Reporter $reporter,
        private readonly Timing $timing,
    ) {
        $this->ends = $timing->now() + $course->totalTimeout;
    }

    /** An attempt begins. Returns the seconds that it may take. */
    public function begin(): float
    {
        $left = $this->ends - $this->reporter->begin();
        return \max(self::LEAST_SECONDS, \min($this->course->timeout, $left));
    }

    public function answered(Response $response): void
    {
        $this->reporter->end($response->status, $response->headers);
    }

    /** It got no response, or one that was not read to its end. */
    public function failed(ApiError|NetworkError $error): void
    {
        $isAnswer = $error instanceof ApiError;
        $this->reporter->end($isAnswer ? $error->status : 0, $isAnswer ? $error->headers : []);
    }

    /** Of a deletion: an earlier attempt, whose answer was lost, has done it. Asked before `pauseAfter`. */
    public function haveDeleted(ApiError|NetworkError $error): bool
    {
        return $this->isInDoubt && $this->reporter->thrown() === null && Retries::isGone($error);
    }

    /** Seconds before the next attempt; null: there is none, the error is the caller's. */
    public function pauseAfter(ApiError|NetworkError $error, bool $isRepeatable): ?float
    {
        if ($this->reporter->thrown() !== null) {
            return null;
        }
        $this->isInDoubt = $this->isInDoubt || Retries::mayBeDone($error);
        $repeats = $this->reporter->attempts() - 1;
        $pause = $repeats < $this->course->maxRetries ? Retries::pause($error, $isRepeatable, $repeats, $this->timing) : null;
        return $pause !== null && $this->timing->now() + $pause < $this->ends ? $pause : null;
    }
}
