<?php

declare(strict_types=1);

namespace Ramz\Error;

/** There was no answer. Whether the call had its effect is not known. */
class NetworkError extends RamzError
{
}
