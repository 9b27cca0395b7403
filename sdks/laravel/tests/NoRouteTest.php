<?php

declare(strict_types=1);

namespace Ramz\Laravel\Tests;

final class NoRouteTest extends TestCase
{
    /** @var array<string, mixed> */
    protected array $config = ['webhooks' => ['path' => null, 'secret' => self::SECRET]];

    public function testAPathOfNullRegistersNone(): void
    {
        self::assertNull($this->app['router']->getRoutes()->getByName('ramz.webhooks'));
        $this->postJson('ramz/webhooks')->assertNotFound();
    }
}
