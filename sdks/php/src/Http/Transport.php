<?php

declare(strict_types=1);

namespace Ramz\Http;

use Ramz\Error\NetworkError;

/** Carries one request and its answer. Does not retry and does not follow redirects: a key must not wander. */
interface Transport
{
    /**
     * @throws NetworkError There was no answer; a {@see \Ramz\Error\RequestTimeoutError} where none came in time.
     */
    public function send(Request $request): Response;
}
