<?php

declare(strict_types=1);

namespace Ramz\Error;

/**
 * The service failed (5xx), or what came is not an answer of Ramz, whatever its status: a proxy's page, a redirect.
 * `$errorCode` is empty then; see `$headers` and `$body`.
 */
final class ServerError extends ApiError
{
}
