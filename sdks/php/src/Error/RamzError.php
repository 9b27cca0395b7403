<?php

declare(strict_types=1);

namespace Ramz\Error;

/** Base of every exception of this package. */
abstract class RamzError extends \RuntimeException
{
}
