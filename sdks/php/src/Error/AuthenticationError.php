<?php

declare(strict_types=1);

namespace Ramz\Error;

/** The key is missing, wrong, revoked or expired (401). */
final class AuthenticationError extends ApiError
{
}
