<?php

declare(strict_types=1);

namespace Ramz\Laravel\Events;

use Ramz\ResponseInfo;

/** An attempt of a call of the package's client is over: with its response, or with `status` 0 where none came. */
final class ResponseReceived
{
    public function __construct(public readonly ResponseInfo $response)
    {
    }
}
