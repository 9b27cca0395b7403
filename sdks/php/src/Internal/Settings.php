<?php

declare(strict_types=1);

namespace Ramz\Internal;

use Ramz\Error\ConfigurationError;

/**
 * The options of a client, checked.
 *
 * @internal
 */
final class Settings
{
    public readonly Secret $apiKey;
    public readonly string $baseUrl;

    /** @throws ConfigurationError */
    public function __construct(
        #[\SensitiveParameter] ?string $apiKey,
        ?string $baseUrl,
        public readonly float $timeout,
        public readonly int $maxRetries,
    ) {
        $this->apiKey = new Secret(self::key($apiKey ?? self::environment('RAMZ_API_KEY')));
        $this->baseUrl = self::address($baseUrl ?? self::environment('RAMZ_BASE_URL'));
        if (!($timeout > 0) || \is_infinite($timeout)) {
            throw new ConfigurationError('timeout must be a number of seconds above 0');
        }
        if ($maxRetries < 0) {
            throw new ConfigurationError('maxRetries must be 0 or more');
        }
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
        $isHttp = \is_array($parts) && \in_array(\strtolower($parts['scheme'] ?? ''), ['http', 'https'], true);
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
