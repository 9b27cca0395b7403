<?php

declare(strict_types=1);

namespace Ramz\Internal;

use Ramz\CallOptions;
use Ramz\Error\ConfigurationError;

/**
 * How one call goes: its limits, the headers that the caller adds, and the hooks; completed with the client's options.
 *
 * @internal
 */
final class Course
{
    private const DEFAULT_TOTAL = 20.0;

    public readonly float $timeout;
    public readonly float $totalTimeout;
    public readonly int $maxRetries;
    /** @var array<string, string> By lower-case name. */
    public readonly array $headers;
    /** @var list<\Closure> */
    public readonly array $hooks;

    /** @throws ConfigurationError An option is malformed. */
    public function __construct(Settings $settings, ?CallOptions $options)
    {
        $options ??= new CallOptions();
        if ($options->timeout !== null && !$settings->hasTimeouts) {
            throw Settings::noTimeout();
        }
        $this->timeout = Check::seconds('timeout', $options->timeout ?? $settings->timeout);
        // Who gives a longer timeout does not want it cut by a default.
        $total = $options->totalTimeout ?? $settings->totalTimeout ?? \max(self::DEFAULT_TOTAL, $this->timeout);
        $this->totalTimeout = Check::seconds('totalTimeout', $total);
        $this->maxRetries = Check::count('maxRetries', $options->maxRetries ?? $settings->maxRetries);
        $this->headers = Check::headers($options->headers) + $settings->headers;
        $this->hooks = \array_values(\array_filter([$settings->onResponse, $options->onResponse]));
    }

    /** @throws ConfigurationError An option is malformed, or none of a watch. */
    public static function ofWatch(Settings $settings, ?CallOptions $options): self
    {
        if ($options?->totalTimeout !== null) {
            throw new ConfigurationError('a watch takes no totalTimeout');
        }
        return new self($settings, $options);
    }
}
