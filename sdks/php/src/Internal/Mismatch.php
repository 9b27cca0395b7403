<?php

declare(strict_types=1);

namespace Ramz\Internal;

/**
 * JSON that is not as the contract has it. The message says where.
 *
 * @internal
 */
final class Mismatch extends \UnexpectedValueException
{
}
