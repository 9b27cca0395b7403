<?php

declare(strict_types=1);

namespace Ramz\Laravel\Http;

use Illuminate\Contracts\Cache\Factory as Cache;
use Illuminate\Contracts\Config\Repository as Config;
use Illuminate\Contracts\Events\Dispatcher;
use Illuminate\Http\Request;
use Illuminate\Http\Response;
use Ramz\Laravel\Events\WebhookReceived;
use Ramz\Laravel\Internal\EventClasses;
use Ramz\Model\WebhookEvent;

/** Turns a genuine webhook into events of the application, once. */
final class WebhookController
{
    /** Longer than the service goes on trying by itself between two attempts. */
    private const REMEMBERED_SECONDS = 86_400;

    public function __construct(
        private readonly Dispatcher $events,
        private readonly Cache $cache,
        private readonly Config $config,
    ) {
    }

    public function __invoke(Request $request): Response
    {
        $webhook = VerifyWebhookSignature::event($request);
        $store = $this->config->get('ramz.webhooks.deduplicate');
        if ($store === false) {
            $this->dispatch($webhook);
            return new Response('', 204);
        }
        $seen = $this->cache->store(\is_string($store) ? $store : null);
        $key = "ramz:webhook:{$webhook->id}";
        if ($seen->add($key, true, self::REMEMBERED_SECONDS)) {
            try {
                $this->dispatch($webhook);
            } catch (\Throwable $error) {
                // The service will try again, and then it must count.
                $seen->forget($key);
                throw $error;
            }
        }
        return new Response('', 204);
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
