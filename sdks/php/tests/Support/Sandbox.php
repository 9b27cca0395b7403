<?php

declare(strict_types=1);

namespace Ramz\Tests\Support;

use PHPUnit\Framework\Assert;

/** The sandbox's phones and its receiver of webhooks. */
final class Sandbox
{
    private const PATIENCE_SECONDS = 60;

    /** A number of an operator of the sandbox that nobody used yet. */
    public function newNumber(): string
    {
        $file = json_decode((string) file_get_contents((string) getenv('RAMZ_SANDBOX_FILE')), true);
        return $file['prefixes'][0] . sprintf('%07d', random_int(2_000_000, 9_999_999));
    }

    /** The code that arrived at the number. */
    public function code(string $to): string
    {
        $code = '';
        $this->wait(function () use ($to, &$code): bool {
            $messages = $this->get('/sandbox/messages?to=' . rawurlencode($to))['messages'];
            $code = preg_match('/(?<!\d)\d{6}(?!\d)/', $messages[0]['text'] ?? '', $found) === 1 ? $found[0] : '';
            return $code !== '';
        }, "a message to {$to}");
        return $code;
    }

    /** @return array{array<string, mixed>, string} Headers and raw body of a webhook that came to our endpoint. */
    public function webhook(string $sessionId, string $endpoint, string $type): array
    {
        $wanted = null;
        $this->wait(function () use ($sessionId, $endpoint, $type, &$wanted): bool {
            foreach ($this->get('/sandbox/webhooks?session_id=' . rawurlencode($sessionId))['webhooks'] as $one) {
                if ($one['endpoint'] === $endpoint && (json_decode($one['body'], true)['type'] ?? '') === $type) {
                    $wanted = [$one['headers'], $one['body']];
                }
            }
            return $wanted !== null;
        }, "a webhook {$type}");
        return $wanted;
    }

    /** @param \Closure(): bool $isSo */
    public function wait(\Closure $isSo, string $what): void
    {
        $deadline = microtime(true) + self::PATIENCE_SECONDS;
        while (!$isSo()) {
            Assert::assertLessThan($deadline, microtime(true), "there is still not {$what}");
            usleep(50_000);
        }
    }

    /** @return array<string, mixed> */
    private function get(string $path): array
    {
        return json_decode((string) file_get_contents(getenv('RAMZ_SANDBOX_URL') . $path), true, 512, JSON_THROW_ON_ERROR);
    }
}
