<?php

declare(strict_types=1);

namespace Ramz\Http;

use Ramz\Error\ApiError;
use Ramz\Error\NetworkError;

/** Carries one request and its answer. Does not retry and does not follow redirects: a key must not wander. */
interface Transport
{
    /**
     * @throws NetworkError There was no answer; a {@see \Ramz\Error\RequestTimeoutError} where none came in time.
     * @throws ApiError The answer is larger than any of Ramz.
     */
    public function send(#[\SensitiveParameter] Request $request): Response;
}
