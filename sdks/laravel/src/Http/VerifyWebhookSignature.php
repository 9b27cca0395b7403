<?php

declare(strict_types=1);

namespace Ramz\Laravel\Http;

use Closure;
use Illuminate\Contracts\Config\Repository;
use Illuminate\Http\Request;
use Psr\Log\LoggerInterface;
use Ramz\Error\SignatureError;
use Ramz\Model\WebhookEvent;
use Ramz\Webhooks;
use Symfony\Component\HttpKernel\Exception\HttpException;

/**
 * Middleware `ramz.webhook`: lets genuine webhooks through, and puts the event into the request's attribute `ramz.webhook`.
 * Without a secret nothing gets through.
 */
final class VerifyWebhookSignature
{
    public const EVENT = 'ramz.webhook';

    public function __construct(
        private readonly Repository $config,
        private readonly LoggerInterface $log,
    ) {
    }

    /** @throws HttpException 400: not genuine; 500: there is no secret to compare with. */
    public function handle(Request $request, Closure $next): mixed
    {
        $secrets = $this->secrets();
        if ($secrets === []) {
            $this->log->error('A webhook of Ramz was refused: ramz.webhooks.secret is not set.');
            throw new HttpException(500, 'There is no webhook secret.');
        }
        $tolerance = $this->config->get('ramz.webhooks.tolerance', 300);
        // The environment has nothing but text. What is no number, verify() refuses: a cast would make 0 of it.
        $tolerance = \is_string($tolerance) && \is_numeric($tolerance) ? $tolerance + 0 : $tolerance;
        try {
            $event = Webhooks::verify((string) $request->getContent(), $request->headers->all(), $secrets, $tolerance);
        } catch (SignatureError $error) {
            $this->log->warning("A webhook of Ramz was refused: {$error->getMessage()}", ['reason' => $error->reason]);
            throw new HttpException(400, 'The webhook is not genuine.', $error);
        }
        $request->attributes->set(self::EVENT, $event);
        return $next($request);
    }

    /** What the middleware found out about the request. */
    public static function event(Request $request): WebhookEvent
    {
        $event = $request->attributes->get(self::EVENT);
        if (!$event instanceof WebhookEvent) {
            throw new \LogicException('the route lacks the middleware ramz.webhook');
        }
        return $event;
    }

    /** @return list<string> */
    private function secrets(): array
    {
        $configured = $this->config->get('ramz.webhooks.secret');
        $all = \is_array($configured) ? $configured : \explode(',', (string) $configured);
        $trimmed = \array_map(static fn (mixed $secret): string => \trim((string) $secret), $all);
        return \array_values(\array_filter($trimmed, static fn (string $secret): bool => $secret !== ''));
    }
}
