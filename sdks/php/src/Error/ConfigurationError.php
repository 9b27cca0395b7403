<?php

declare(strict_types=1);

namespace Ramz\Error;

/** No key, no address, or something that can't be sent at all: nothing was sent. */
final class ConfigurationError extends RamzError
{
}
