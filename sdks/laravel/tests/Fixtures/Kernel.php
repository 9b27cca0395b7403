<?php

declare(strict_types=1);

namespace Ramz\Laravel\Tests\Fixtures;

/** Without the middleware of an application skeleton. */
final class Kernel extends \Illuminate\Foundation\Http\Kernel
{
    /** @var array<int, class-string> */
    protected $middleware = [];
}
