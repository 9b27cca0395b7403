<?php

declare(strict_types=1);

namespace Ramz\Laravel\Http;

use Illuminate\Contracts\Cache\Factory as CacheFactory;
use Illuminate\Contracts\Cache\Repository as Cache;
use Illuminate\Contracts\Config\Repository as Config;
use Illuminate\Contracts\Events\Dispatcher;
use Illuminate\Http\Request;
use Illuminate\Http\Response;
use Ramz\Laravel\Events\WebhookReceived;
use Ramz\Laravel\Internal\EventClasses;
use Ramz\Model\WebhookEvent;
use Symfony\Component\HttpKernel\Exception\HttpException;

/**
 * Turns a genuine webhook into events of the application, once.
 *
 * A webhook is remembered as handled when its listeners have run, never before: a process that is killed, and a listener
 * that throws, leave it to the next delivery. While its listeners run a lock holds other deliveries of it off; where
 * nobody releases the lock, it expires.
 */
final class WebhookController
{
    /** Longer than the service waits between two attempts, which is 24 hours and a tenth at most. */
    private const REMEMBERED_SECONDS = 172_800;

    /** The third attempt, 5 minutes behind the second one, finds the lock of a process that was killed expired. */
    private const HANDLING_SECONDS = 300;

    public function __construct(
        private readonly Dispatcher $events,
        private readonly CacheFactory $cache,
        private readonly Config $config,
    ) {
    }

    /** @throws HttpException 409: another delivery of this webhook is being handled; the service tries again. */
    public function __invoke(Request $request): Response
    {
        $webhook = VerifyWebhookSignature::event($request);
        $store = $this->config->get('ramz.webhooks.deduplicate');
        if ($store === false) {
            $this->dispatch($webhook);
        } else {
            $this->dispatchOnce($webhook, $this->cache->store(\is_string($store) ? $store : null));
        }
        return new Response('', 204);
    }

    private function dispatchOnce(WebhookEvent $webhook, Cache $cache): void
    {
        $handled = "ramz:webhook:{$webhook->id}";
        $lock = "{$handled}:handling";
        $owner = \bin2hex(\random_bytes(8));
        // Not Cache::lock(): not every store has locks, and that of the database needs a table of its own.
        if (!$cache->has($handled) && !$cache->add($lock, $owner, $this->handlingSeconds()) && $cache->has($lock)) {
            throw new HttpException(409, 'This webhook is being handled.');
        }
        // Whoever had the lock may just have finished. A store that keeps nothing (`null`) gets here each time.
        try {
            if (!$cache->has($handled)) {
                $this->dispatch($webhook);
                $cache->put($handled, true, self::REMEMBERED_SECONDS);
            }
        } finally {
            // Unless the listeners ran for longer than the lock, and another delivery has it now.
            if ($cache->get($lock) === $owner) {
                $cache->forget($lock);
            }
        }
    }

    private function handlingSeconds(): int
    {
        return \max(1, (int) $this->config->get('ramz.webhooks.handling_seconds', self::HANDLING_SECONDS));
    }

    private function dispatch(WebhookEvent $webhook): void
    {
        $this->events->dispatch(new WebhookReceived($webhook));
        $class = EventClasses::BY_TYPE[$webhook->type] ?? null;
        if ($class !== null) {
            $this->events->dispatch(new $class($webhook, $webhook->data));
        }
    }
}
