<?php

declare(strict_types=1);

namespace Ramz\Laravel\Tests;

use Illuminate\Support\Facades\Event;
use Illuminate\Support\Facades\Validator;
use Ramz\Error\NotFoundError;
use Ramz\Laravel\Events\ReceiptUpdated;
use Ramz\Laravel\Facades\Ramz;
use Ramz\Laravel\Rules\RamzCode;
use Ramz\Laravel\Tests\Fixtures\LoginCode;
use Ramz\Laravel\Tests\Fixtures\User;

/** Against the service that RAMZ_BASE_URL names, with its sandbox. */
final class LiveTest extends TestCase
{
    public function createApplication(): \Illuminate\Foundation\Application
    {
        if (\getenv('RAMZ_SANDBOX_URL') === false) {
            self::markTestSkipped('no service is running: npm test -- sdk-laravel');
        }
        $this->config = [
            'api_key' => (string) \getenv('RAMZ_API_KEY'),
            'base_url' => (string) \getenv('RAMZ_BASE_URL'),
        ];
        return parent::createApplication();
    }

    public function testANotificationACodeAndItsWebhook(): void
    {
        $sink = \getenv('RAMZ_WEBHOOK_SINK') . '/laravel';
        $endpoint = Ramz::webhookEndpoints()->create(url: $sink, eventTypes: ['receipt.updated']);
        $this->app['config']->set('ramz.webhooks.secret', $endpoint->secret);
        try {
            $to = $this->number();
            (new User($to))->notify(new LoginCode());
            $code = $this->until(fn (): ?string => $this->codeOf($to));

            $wrong = $code === '123456' ? '654321' : '123456';
            self::assertTrue($this->validate($to, $wrong)->fails());
            self::assertTrue($this->validate($to, $code)->passes());
            $session = [...Ramz::verify()->list(to: $to)][0];
            self::assertSame('verified', $session->status);

            $received = [];
            Event::listen(ReceiptUpdated::class, static function (ReceiptUpdated $event) use (&$received): void {
                $received[] = $event->data->status;
            });
            $delivery = $this->until(fn (): ?array => $this->webhookOf($session->id));
            $server = ['CONTENT_TYPE' => 'application/json'];
            foreach ($delivery['headers'] as $name => $value) {
                $server['HTTP_' . \strtoupper(\strtr($name, '-', '_'))] = $value;
            }
            $this->call('POST', 'ramz/webhooks', [], [], [], $server, $delivery['body'])->assertNoContent();
            self::assertSame(['DELIVRD'], $received);
        } finally {
            Ramz::webhookEndpoints()->delete($endpoint->id);
        }
    }

    public function testAFieldOfAFormThatHoldsNoNumber(): void
    {
        $id = Ramz::send($this->number(), purpose: 'login')->id;
        $none = ['code' => ['There is no code to check. Ask for one first.']];
        foreach ([$id, 'abc', '12', \str_repeat('5', 2_000), "+213\0"] as $phone) {
            $rule = ['code' => 'ramz_code:phone,login'];
            $errors = Validator::make(['phone' => $phone, 'code' => '123456'], $rule)->errors()->toArray();
            self::assertSame($none, $errors, \substr($phone, 0, 40));
        }
    }

    public function testAnErrorOfTheService(): void
    {
        try {
            Ramz::verify()->get('vrf_01k6h2q8z9e0f3m7x2c5v8b4nt');
            self::fail('there is no such session');
        } catch (NotFoundError $error) {
            self::assertSame('session_not_found', $error->errorCode);
            self::assertStringStartsWith('req_', $error->requestId);
        }
    }

    private function validate(string $to, string $code): \Illuminate\Contracts\Validation\Validator
    {
        return Validator::make(['code' => $code], ['code' => ['required', RamzCode::ofNumber($to, 'login')]]);
    }

    private function number(): string
    {
        $sandbox = \json_decode((string) \file_get_contents((string) \getenv('RAMZ_SANDBOX_FILE')), true);
        return $sandbox['prefixes'][0] . \random_int(1_000_000, 9_999_999);
    }

    private function codeOf(string $to): ?string
    {
        $messages = $this->sandbox('/sandbox/messages?to=' . \rawurlencode($to))['messages'];
        return \preg_match('/\b\d{6}\b/', $messages[0]['text'] ?? '', $found) === 1 ? $found[0] : null;
    }

    /** @return array{headers: array<string, string>, body: string}|null */
    private function webhookOf(string $sessionId): ?array
    {
        foreach ($this->sandbox('/sandbox/webhooks?session_id=' . $sessionId)['webhooks'] as $webhook) {
            $body = \is_string($webhook['body']) ? $webhook['body'] : \json_encode($webhook['body']);
            if (($webhook['endpoint'] ?? '') === 'laravel' && \str_contains($body, 'DELIVRD')) {
                return ['headers' => $webhook['headers'], 'body' => $body];
            }
        }
        return null;
    }

    /** @return array<string, mixed> */
    private function sandbox(string $path): array
    {
        return (array) \json_decode((string) \file_get_contents(\getenv('RAMZ_SANDBOX_URL') . $path), true);
    }

    /**
     * @template T
     *
     * @param \Closure(): (T|null) $find
     *
     * @return T
     */
    private function until(\Closure $find): mixed
    {
        $end = \microtime(true) + 60;
        while (\microtime(true) < $end) {
            $found = $find();
            if ($found !== null) {
                return $found;
            }
            \usleep(20_000);
        }
        self::fail('it did not come in a minute');
    }
}
