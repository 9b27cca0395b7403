<?php

declare(strict_types=1);

namespace Ramz\Error;

/** There is no such thing in this account and mode (404). */
final class NotFoundError extends ApiError
{
}
