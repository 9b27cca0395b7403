<?php

declare(strict_types=1);

namespace Ramz\Internal;

use Ramz\Http\Response;
use Ramz\ResponseInfo;

/**
 * Reports the attempts of one call to its hooks.
 *
 * @internal
 */
final class Reporter
{
    private int $attempts = 0;
    private float $begun = 0.0;
    private bool $isOpen = false;
    private ?\Throwable $thrown = null;

    /** @param list<\Closure> $hooks */
    public function __construct(
        private readonly string $operation,
        private readonly Secret $key,
        private readonly array $hooks,
        private readonly Timing $timing,
    ) {
    }

    /** An attempt begins. Returns the time. */
    public function begin(): float
    {
        $this->attempts++;
        $this->isOpen = true;
        return $this->begun = $this->timing->now();
    }

    /**
     * The attempt ended; what is said after that does not count. A hook may throw what it likes.
     *
     * @param array<string, string> $headers By lower-case name.
     */
    public function end(int $status, array $headers): void
    {
        if (!$this->isOpen) {
            return;
        }
        $this->isOpen = false;
        if ($this->hooks === []) {
            return;
        }
        $shown = Foreign::headers(new Response($status, $headers), $this->key);
        $duration = $this->timing->now() - $this->begun;
        $id = $shown['x-request-id'] ?? '';
        $info = new ResponseInfo($this->operation, $this->attempts, $status, $id, $duration, $shown);
        try {
            foreach ($this->hooks as $hook) {
                $hook($info);
            }
        } catch (\Throwable $error) {
            $this->thrown = $error;
            throw $error;
        }
    }

    /** What a hook threw. It ends the call, whatever its class: no attempt follows. */
    public function thrown(): ?\Throwable
    {
        return $this->thrown;
    }

    public function attempts(): int
    {
        return $this->attempts;
    }
}
