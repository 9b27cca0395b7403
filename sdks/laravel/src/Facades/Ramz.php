<?php

declare(strict_types=1);

namespace Ramz\Laravel\Facades;

use Ramz\Laravel\Internal\FacadeMethods;
use Ramz\Laravel\RamzManager;
use Ramz\Laravel\Testing\RamzFake;

/**
 * Ramz, as the configuration `ramz` says.
 *
 * @method static \Ramz\Client client()
 *
 * @see RamzManager
 */
final class Ramz extends FacadeMethods
{
    /** From now on nothing leaves the application: codes are zeros, and what was sent can be asserted. */
    public static function fake(): RamzFake
    {
        $fake = new RamzFake();
        static::swap($fake);
        return $fake;
    }

    protected static function getFacadeAccessor(): string
    {
        return RamzManager::class;
    }
}
