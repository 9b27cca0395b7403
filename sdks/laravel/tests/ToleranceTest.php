<?php

declare(strict_types=1);

namespace Ramz\Laravel\Tests;

use Illuminate\Support\Facades\Event;
use Illuminate\Testing\TestResponse;
use PHPUnit\Framework\Attributes\DataProvider;
use Ramz\Laravel\Events\WebhookReceived;
use Ramz\Testing\SignedWebhook;

/** ramz.webhooks.tolerance: with one that is none, webhooks of any age would be let in, or none at all. */
final class ToleranceTest extends TestCase
{
    protected function setUp(): void
    {
        parent::setUp();
        $this->app['config']->set('ramz.webhooks.secret', self::SECRET);
        Event::fake();
    }

    /** @return list<array{mixed}> */
    public static function noTolerances(): array
    {
        return [['five minutes'], [''], ['1e999'], ['-1'], [NAN], [INF], [-1], [null], [true], [[]]];
    }

    /** @dataProvider noTolerances */
    #[DataProvider('noTolerances')]
    public function testWhatIsNoneIsAFaultOfTheApplication(mixed $tolerance): void
    {
        $this->app['config']->set('ramz.webhooks.tolerance', $tolerance);
        $this->deliver(0)->assertStatus(500);
        $this->deliver(null)->assertStatus(500);
        Event::assertNotDispatched(WebhookReceived::class);
    }

    public function testTextOfTheEnvironmentIsANumber(): void
    {
        $this->app['config']->set('ramz.webhooks.tolerance', '600');
        $this->deliver(\time() - 500)->assertNoContent();
        $this->deliver(\time() - 700)->assertStatus(400);
    }

    private function deliver(?int $timestamp): TestResponse
    {
        $webhook = SignedWebhook::make('session.verified', ['session_id' => 'vrf_1'], self::SECRET, timestamp: $timestamp);
        $server = ['CONTENT_TYPE' => 'application/json', 'HTTP_ACCEPT' => 'application/json'];
        foreach ($webhook->headers as $name => $value) {
            $server['HTTP_' . \strtoupper(\strtr($name, '-', '_'))] = $value;
        }
        return $this->call('POST', 'ramz/webhooks', [], [], [], $server, $webhook->body);
    }
}
