<?php

declare(strict_types=1);

namespace Ramz\Error;

/** The request is not one that can be served (400 and other 4xx). */
final class InvalidRequestError extends ApiError
{
}
