<?php

declare(strict_types=1);

namespace Ramz\Error;

/** A fault of the service (5xx), or what is no answer of Ramz at all: a redirect, a success that is not JSON. */
final class ServerError extends ApiError
{
}
