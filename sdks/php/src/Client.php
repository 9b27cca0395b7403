<?php

declare(strict_types=1);

namespace Ramz;

use Psr\Http\Client\ClientInterface;
use Ramz\Error\ConfigurationError;
use Ramz\Http\CurlTransport;
use Ramz\Http\Psr18Transport;
use Ramz\Http\Transport;
use Ramz\Internal\Caller;
use Ramz\Internal\Resources;
use Ramz\Internal\Settings;
use Ramz\Internal\SystemTiming;
use Ramz\Internal\Timing;

/**
 * Calls one Ramz service with one key. Its properties are the resources: `$client->verify->send(to: '+213…')`. Keep one
 * for as long as you like: it keeps its connection.
 */
class Client extends Resources
{
    public const VERSION = '0.1.0';

    /**
     * @param string|null $apiKey Default: `RAMZ_API_KEY` of the environment.
     * @param string|null $baseUrl Address of the service. Default: `RAMZ_BASE_URL` of the environment.
     * @param float|null $timeout Seconds for each attempt. Default 10. Refused beside a PSR-18 client, which has timeouts of
     *   its own.
     * @param int $maxRetries How often a call is repeated at most; 0: never.
     * @param Transport|ClientInterface|null $httpClient Any PSR-18 client, or a transport of your own. Default: curl.
     * @param float|null $totalTimeout Seconds for a call with all its attempts and pauses. Default 20, or `timeout` where
     *   that is longer. A watch has none; a PSR-18 client is not interrupted, but no attempt begins after it.
     * @param array<string, string> $headers Sent with every request, for a gateway in front of the service.
     * @param string|null $userAgent Added to the package's own, such as `my-shop/1.2`.
     * @param (callable(ResponseInfo): void)|null $onResponse Called after each attempt of a call. What it throws ends the
     *   call.
     * @param Timing|null $timing For tests of this package.
     *
     * @throws ConfigurationError An option is missing or malformed.
     */
    public function __construct(
        #[\SensitiveParameter] ?string $apiKey = null,
        ?string $baseUrl = null,
        ?float $timeout = null,
        int $maxRetries = 2,
        Transport|ClientInterface|null $httpClient = null,
        ?float $totalTimeout = null,
        #[\SensitiveParameter] array $headers = [],
        ?string $userAgent = null,
        ?callable $onResponse = null,
        ?Timing $timing = null,
    ) {
        $transport = match (true) {
            $httpClient === null => new CurlTransport(),
            $httpClient instanceof Transport => $httpClient,
            default => Psr18Transport::around($httpClient),
        };
        $settings = new Settings(
            $apiKey,
            $baseUrl,
            $timeout,
            $totalTimeout,
            $maxRetries,
            $headers,
            $userAgent,
            $onResponse === null ? null : \Closure::fromCallable($onResponse),
            hasTimeouts: !$transport instanceof Psr18Transport,
        );
        parent::__construct(new Caller($settings, $transport, $timing ?? new SystemTiming()));
    }
}
