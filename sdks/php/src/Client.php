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
     * @param float $timeout Seconds for each try. A PSR-18 client has timeouts of its own.
     * @param int $maxRetries How often a call is repeated at most; 0: never.
     * @param Transport|ClientInterface|null $httpClient Any PSR-18 client, or a transport of your own. Default: curl.
     * @param Timing|null $timing For tests of this package.
     *
     * @throws ConfigurationError An option is missing or malformed.
     */
    public function __construct(
        #[\SensitiveParameter] ?string $apiKey = null,
        ?string $baseUrl = null,
        float $timeout = 10.0,
        int $maxRetries = 2,
        Transport|ClientInterface|null $httpClient = null,
        ?Timing $timing = null,
    ) {
        $settings = new Settings($apiKey, $baseUrl, $timeout, $maxRetries);
        $transport = match (true) {
            $httpClient === null => new CurlTransport(),
            $httpClient instanceof Transport => $httpClient,
            default => Psr18Transport::around($httpClient),
        };
        parent::__construct(new Caller($settings, $transport, $timing ?? new SystemTiming()));
    }
}
