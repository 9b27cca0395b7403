<?php

declare(strict_types=1);

namespace Ramz\Error;

/** There was no answer in time. Whether the call had its effect is not known. */
final class RequestTimeoutError extends NetworkError
{
}
