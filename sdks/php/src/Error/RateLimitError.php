<?php

declare(strict_types=1);

namespace Ramz\Error;

/** Too often or too soon (429); see `retryAfter`. */
final class RateLimitError extends ApiError
{
}
