<?php

declare(strict_types=1);

namespace Ramz\Error;

/** It does not fit what is there already (409). */
final class ConflictError extends ApiError
{
}
