<?php

declare(strict_types=1);

namespace Ramz\Internal;

use Ramz\Client;
use Ramz\Error\ConfigurationError;

/**
 * The options of a client, checked.
 *
 * @internal
 */
final class Settings
{
    private const DEFAULT_TIMEOUT = 10.0;

    public readonly Secret $apiKey;
    public readonly string $baseUrl;
    public readonly float $timeout;
    public readonly ?float $totalTimeout;
    public readonly int $maxRetries;
    /** @var array<string, string> By lower-case name. */
    public readonly array $headers;
    public readonly string $userAgent;

    /**
     * @param float|null $timeout Null: the default.
     * @param float|null $totalTimeout Null: the default, which looks at the timeout.
     * @param array<mixed> $headers
     * @param bool $hasTimeouts The transport can end an attempt.
     *
     * @throws ConfigurationError
     */
    public function __construct(
        #[\SensitiveParameter] ?string $apiKey,
        ?string $baseUrl,
        ?float $timeout = null,
        ?float $totalTimeout = null,
        int $maxRetries = 2,
        #[\SensitiveParameter] array $headers = [],
        ?string $userAgent = null,
        public readonly ?\Closure $onResponse = null,
        public readonly bool $hasTimeouts = true,
    ) {
        $this->apiKey = new Secret(self::key($apiKey ?? self::environment('RAMZ_API_KEY')));
        $this->baseUrl = self::address($baseUrl ?? self::environment('RAMZ_BASE_URL'));
        if ($timeout !== null && !$hasTimeouts) {
            throw self::noTimeout();
        }
        $this->timeout = Check::seconds('timeout', $timeout ?? self::DEFAULT_TIMEOUT);
        $this->totalTimeout = $totalTimeout === null ? null : Check::seconds('totalTimeout', $totalTimeout);
        $this->maxRetries = Check::count('maxRetries', $maxRetries);
        $this->headers = Check::headers($headers);
        $own = 'ramz-php/' . Client::VERSION . ' php/' . \PHP_VERSION;
        $this->userAgent = \rtrim($own . ' ' . Check::userAgent($userAgent));
    }

    public static function noTimeout(): ConfigurationError
    {
        return new ConfigurationError('PSR-18 has no timeouts: set them on that client, and leave out timeout');
    }

    /**
     * Keeps headers out of dumps: a gateway's may be secret.
     *
     * @return array<string, mixed>
     */
    public function __debugInfo(): array
    {
        return ['baseUrl' => $this->baseUrl, 'timeout' => $this->timeout, 'headers' => \array_keys($this->headers)];
    }

    private static function key(#[\SensitiveParameter] string $key): string
    {
        if ($key === '') {
            throw new ConfigurationError('there is no API key: give apiKey or set RAMZ_API_KEY');
        }
        // A key that was read from a file often ends in a newline, which would end the header too.
        if (\preg_match('/^[!-~]+$/D', $key) !== 1) {
            throw new ConfigurationError('the API key has spaces, newlines or characters that no key has');
        }
        return $key;
    }

    private static function address(string $url): string
    {
        if ($url === '') {
            throw new ConfigurationError(
                'there is no address of the service: give baseUrl or set RAMZ_BASE_URL, e.g. https://verify.example',
            );
        }
        $parts = \preg_match('/^[!-~]+$/D', $url) === 1 ? \parse_url($url) : false;
        $isHttp = \is_array($parts) && \in_array(Ascii::lower($parts['scheme'] ?? ''), ['http', 'https'], true);
        if (!$isHttp || ($parts['host'] ?? '') === '') {
            throw new ConfigurationError('baseUrl must be an http or https address, e.g. https://verify.example');
        }
        if (\array_intersect_key($parts, ['user' => 1, 'pass' => 1, 'query' => 1, 'fragment' => 1]) !== []) {
            throw new ConfigurationError('baseUrl must have no user, no query and no fragment');
        }
        return \rtrim($url, '/');
    }

    /** Frameworks put what they read from .env files into the arrays only. */
    private static function environment(string $name): string
    {
        foreach ([$_SERVER[$name] ?? null, $_ENV[$name] ?? null, \getenv($name)] as $value) {
            if (\is_string($value) && $value !== '') {
                return $value;
            }
        }
        return '';
    }
}
