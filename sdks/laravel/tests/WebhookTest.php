<?php

declare(strict_types=1);

namespace Ramz\Laravel\Tests;

use Illuminate\Support\Facades\Event;
use Illuminate\Support\Facades\Route;
use Illuminate\Testing\TestResponse;
use PHPUnit\Framework\Attributes\DataProvider;
use Ramz\Laravel\Events\ReceiptUpdated;
use Ramz\Laravel\Events\SessionVerified;
use Ramz\Laravel\Events\WebhookReceived;
use Ramz\Laravel\Internal\EventClasses;
use Ramz\Testing\SignedWebhook;
use Ramz\Value\EventType;

final class WebhookTest extends TestCase
{
    public function testAGenuineOneBecomesItsEvent(): void
    {
        Event::fake();
        $this->deliver($this->verified())->assertNoContent();

        Event::assertDispatched(SessionVerified::class, static fn (SessionVerified $event): bool
            => $event->data->sessionId === 'vrf_1' && $event->webhook->type === 'session.verified');
        Event::assertDispatched(WebhookReceived::class);
        Event::assertNotDispatched(ReceiptUpdated::class);
    }

    public function testEveryTypeHasItsClassAndIsQueueable(): void
    {
        self::assertSame(EventType::KNOWN, \array_keys(EventClasses::BY_TYPE));
        $heard = [];
        foreach (EventClasses::BY_TYPE as $class) {
            Event::listen($class, static function (object $event) use (&$heard): void {
                // What a queued listener is given.
                $heard[] = \unserialize(\serialize($event))->webhook->type;
            });
        }
        foreach (EventType::KNOWN as $type) {
            $this->deliver(SignedWebhook::make($type, [], self::SECRET))->assertNoContent();
        }
        self::assertSame(EventType::KNOWN, $heard);
    }

    public function testATypeOfTheFutureIsReceived(): void
    {
        Event::fake();
        $this->deliver(SignedWebhook::make('phone.exploded', ['a' => 1], self::SECRET))->assertNoContent();
        Event::assertDispatched(WebhookReceived::class, static fn ($event): bool => $event->webhook->data === ['a' => 1]);
    }

    public function testARetryIsNotDispatchedTwice(): void
    {
        $count = 0;
        Event::listen(SessionVerified::class, static function () use (&$count): void {
            $count++;
        });
        $webhook = $this->verified();
        $this->deliver($webhook)->assertNoContent();
        $this->deliver($webhook)->assertNoContent();
        // As `RAMZ_WEBHOOK_DEDUPLICATE=` in `.env`: the default store.
        $this->app['config']->set('ramz.webhooks.deduplicate', '');
        $this->deliver($webhook)->assertNoContent();
        self::assertSame(1, $count);

        $this->app['config']->set('ramz.webhooks.deduplicate', false);
        $this->deliver($webhook)->assertNoContent();
        self::assertSame(2, $count);
    }

    public function testAfterAListenerThatFailedTheRetryCounts(): void
    {
        $count = 0;
        Event::listen(SessionVerified::class, static function () use (&$count): void {
            if (++$count === 1) {
                throw new \RuntimeException('the database is away');
            }
        });
        $webhook = $this->verified();
        $this->deliver($webhook)->assertStatus(500);
        $this->deliver($webhook)->assertNoContent();
        self::assertSame(2, $count);
    }

    /** @requires extension pcntl */
    public function testAfterAProcessThatWasKilledTheNextDeliveryIsDispatched(): void
    {
        $this->shareCache();
        $webhook = $this->verified();
        Event::listen(SessionVerified::class, static fn () => \posix_kill(\getmypid(), \SIGKILL));
        $child = self::fork(fn () => $this->deliver($webhook));
        \pcntl_waitpid($child, $status);
        self::assertSame(\SIGKILL, \pcntl_wtermsig($status));

        $count = $this->countVerified();
        // As long as the one that was killed could still be running.
        $this->deliver($webhook)->assertStatus(409);
        $this->travel(301)->seconds();
        $this->deliver($webhook)->assertNoContent();
        $this->deliver($webhook)->assertNoContent();
        self::assertSame(1, $count());
    }

    /** @requires extension pcntl */
    public function testWhileAListenerRunsOtherDeliveriesComeAgain(): void
    {
        $this->shareCache();
        $webhook = $this->verified();
        [$here, $there] = \stream_socket_pair(\STREAM_PF_UNIX, \STREAM_SOCK_STREAM, 0);
        $child = self::fork(function () use ($webhook, $here, $there): void {
            \fclose($here);
            Event::listen(SessionVerified::class, static function () use ($there): void {
                \fwrite($there, "runs\n");
                \fgets($there);
                throw new \RuntimeException('slow, and then the database is away');
            });
            \fwrite($there, $this->deliver($webhook)->getStatusCode() . "\n");
        });
        \fclose($there);
        \stream_set_timeout($here, 30);
        $count = $this->countVerified();
        self::assertSame("runs\n", \fgets($here));
        $this->deliver($webhook)->assertStatus(409);
        self::assertSame(0, $count());
        // Another webhook is none of its business.
        $this->deliver($this->verified())->assertNoContent();
        self::assertSame(1, $count());

        \fwrite($here, "on\n");
        self::assertSame("500\n", \fgets($here));
        \pcntl_waitpid($child, $status);
        $this->deliver($webhook)->assertNoContent();
        $this->deliver($webhook)->assertNoContent();
        self::assertSame(2, $count());
    }

    public function testAListenerThatOutlivesItsLockReleasesNoOtherOne(): void
    {
        $webhook = $this->verified();
        $statuses = [];
        $depth = 0;
        Event::listen(SessionVerified::class, function () use ($webhook, &$statuses, &$depth): void {
            if (++$depth === 1) {
                $this->travel(301)->seconds();
                // It takes the lock over. When it has ended, the lock of a third one must not be in the way.
                $statuses[] = $this->deliver($webhook)->getStatusCode();
                throw new \RuntimeException('too late');
            }
            $statuses[] = $this->deliver($webhook)->getStatusCode();
        });
        $this->deliver($webhook)->assertStatus(500);
        self::assertSame([409, 204], $statuses);
        $this->deliver($webhook)->assertNoContent();
        self::assertSame(2, $depth);
    }

    /** @dataProvider poorStores */
    #[DataProvider('poorStores')]
    public function testStoresThatCanDoLess(string $driver, int $dispatched): void
    {
        // Without `add`, and without locks.
        $this->app['cache']->extend('plain', fn ($app) => $app['cache']->repository(new Fixtures\PlainStore()));
        $this->app['config']->set("cache.stores.{$driver}", ['driver' => $driver]);
        $this->app['config']->set('ramz.webhooks.deduplicate', $driver);
        $count = $this->countVerified();
        $webhook = $this->verified();
        $this->deliver($webhook)->assertNoContent();
        $this->deliver($webhook)->assertNoContent();
        self::assertSame($dispatched, $count());
    }

    /** @return array<string, array{string, int}> */
    public static function poorStores(): array
    {
        // What keeps nothing can't tell a retry from a webhook; but none is lost.
        return ['plain' => ['plain', 1], 'null' => ['null', 2]];
    }

    public function testWhatIsNotGenuineIsRefused(): void
    {
        Event::fake([WebhookReceived::class, SessionVerified::class]);
        $webhook = $this->verified();
        $this->deliver($webhook, "{$webhook->body} ")->assertStatus(400);
        $this->deliver(SignedWebhook::make('session.verified', [], self::other()))->assertStatus(400);
        $this->deliver(SignedWebhook::make('session.verified', [], self::SECRET, \time() - 301))->assertStatus(400);
        $this->postJson('ramz/webhooks', ['type' => 'session.verified'])->assertStatus(400);
        Event::assertNotDispatched(WebhookReceived::class);
        Event::assertNotDispatched(SessionVerified::class);
    }

    public function testWithoutASecretNothingGetsThrough(): void
    {
        Event::fake([WebhookReceived::class]);
        foreach ([null, '', ' , ', []] as $nothing) {
            $this->app['config']->set('ramz.webhooks.secret', $nothing);
            $refused = $this->deliver($this->verified())->assertStatus(500);
            // Said by the middleware, and not by what would have stumbled over it further on.
            $refused->assertJson(['message' => 'There is no webhook secret.']);
        }
        Event::assertNotDispatched(WebhookReceived::class);
    }

    public function testEitherSecretWhileOneRotates(): void
    {
        $this->app['config']->set('ramz.webhooks.secret', self::other() . ', ' . self::SECRET);
        $this->deliver($this->verified())->assertNoContent();
        $this->deliver(SignedWebhook::make('session.verified', [], self::other()))->assertNoContent();
    }

    public function testTheMiddlewareServesARouteOfOnesOwn(): void
    {
        Route::post('own', static fn () => ['ok' => true])->middleware('ramz.webhook');
        $webhook = $this->verified();
        $this->deliver($webhook, to: 'own')->assertOk()->assertJson(['ok' => true]);
        $this->deliver($webhook, "{$webhook->body} ", to: 'own')->assertStatus(400);
    }

    /** A process that does this and never comes back to the tests. */
    private static function fork(callable $work): int
    {
        $child = \pcntl_fork();
        if ($child !== 0) {
            return $child;
        }
        try {
            $work();
        } finally {
            \posix_kill(\getmypid(), \SIGTERM);
        }
    }

    /** The cache of several processes. */
    private function shareCache(): void
    {
        $this->app['config']->set('cache.stores.file', ['driver' => 'file', 'path' => $this->app->storagePath()]);
        $this->app['config']->set('ramz.webhooks.deduplicate', 'file');
    }

    /** @return callable(): int */
    private function countVerified(): callable
    {
        $count = 0;
        // In place of those that the child has.
        Event::forget(SessionVerified::class);
        Event::listen(SessionVerified::class, static function () use (&$count): void {
            $count++;
        });
        return static function () use (&$count): int {
            return $count;
        };
    }

    private static function other(): string
    {
        return 'whsec_' . \base64_encode('the next secret, of 24 b');
    }

    private function verified(): SignedWebhook
    {
        return SignedWebhook::make('session.verified', ['session_id' => 'vrf_1', 'session' => ['status' => 'verified']], self::SECRET);
    }

    private function deliver(SignedWebhook $webhook, ?string $body = null, string $to = 'ramz/webhooks'): TestResponse
    {
        $server = ['CONTENT_TYPE' => 'application/json', 'HTTP_ACCEPT' => 'application/json'];
        foreach ($webhook->headers as $name => $value) {
            $server['HTTP_' . \strtoupper(\strtr($name, '-', '_'))] = $value;
        }
        return $this->call('POST', $to, [], [], [], $server, $body ?? $webhook->body);
    }
}
