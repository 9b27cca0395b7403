<?php

declare(strict_types=1);

namespace Ramz\Laravel;

use Ramz\Client;
use Ramz\Error\ConfigurationError;
use Ramz\Laravel\Internal\Resources;
use Ramz\Model\CheckResponse;
use Ramz\Model\SendResponse;

/**
 * What the facade offers: the client's resources as methods, and its two main operations by themselves. The client is made
 * at its first use, so that an application without a key starts.
 */
class RamzManager
{
    use Resources;

    private ?Client $client = null;

    /** @param \Closure(): Client $make */
    public function __construct(private readonly \Closure $make)
    {
    }

    /** @throws ConfigurationError The configuration has no key or no address. */
    public function client(): Client
    {
        return $this->client ??= ($this->make)();
    }

    /**
     * Sends a code: `Ramz::send('+213550123456', purpose: 'login')`. Takes what `Ramz::verify()->send()` takes.
     *
     * @see \Ramz\Resource\VerifyResource::send()
     */
    public function send(mixed ...$arguments): SendResponse
    {
        return $this->verify()->send(...$arguments);
    }

    /**
     * Checks a code: `Ramz::check('042617', to: '+213550123456')`. Takes what `Ramz::verify()->check()` takes.
     *
     * @see \Ramz\Resource\VerifyResource::check()
     */
    public function check(mixed ...$arguments): CheckResponse
    {
        return $this->verify()->check(...$arguments);
    }
}
