<?php

declare(strict_types=1);

namespace Ramz\Error;

/** The key may not do this (403). */
final class PermissionDeniedError extends ApiError
{
}
