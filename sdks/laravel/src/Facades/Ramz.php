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
 * @method static \Ramz\Model\SendResponse send(string $to, mixed ...$more) See {@see \Ramz\Resource\VerifyResource::send()}.
 * @method static \Ramz\Model\CheckResponse check(string $code, mixed ...$more) See {@see \Ramz\Resource\VerifyResource::check()}.
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
