<?php

declare(strict_types=1);

namespace Ramz\Tests;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;
use Ramz\CallOptions;
use Ramz\Client;
use Ramz\Error\ApiError;
use Ramz\Error\ConfigurationError;
use Ramz\Error\NetworkError;
use Ramz\Error\RamzError;
use Ramz\Error\RateLimitError;
use Ramz\Error\RequestTimeoutError;
use Ramz\Http\Response;
use Ramz\ResponseInfo;
use Ramz\Tests\Support\ScriptedTransport;
use Ramz\Tests\Support\Vectors;

/** vectors/calls.json, and what is PHP's own: options of clients and calls, and what the hooks hear. */
final class CallsTest extends TestCase
{
    private const REQUIRED = ['verify.send' => ['to' => '+213550000001'], 'verify.get' => ['id' => 'vrf_1']];

    /** @return iterable<string, array{array<string, mixed>, float}> Each with the least, the middle and the most chance. */
    public static function cases(): iterable
    {
        foreach (Vectors::cases('calls') as $name => [$case]) {
            foreach ([0.0, 0.5, 1.0] as $chance) {
                yield "{$name} ({$chance})" => [$case, $chance];
            }
        }
    }

    /**
     * @dataProvider cases
     *
     * @param array<string, mixed> $case
     */
    #[DataProvider('cases')]
    public function testVector(array $case, float $chance): void
    {
        $transport = new ScriptedTransport(array_map(self::answer(...), $case['responses']));
        $transport->timing->chance = $chance;
        $transport->takes = array_map(static fn (array $one): ?float => self::takes($one), $case['responses']);
        $ofClient = $ofCall = [];
        $outcome = $this->outcome(function () use ($case, $transport, &$ofClient, &$ofCall): mixed {
            $client = $this->client($transport, $case['client'] ?? [], function (ResponseInfo $info) use (&$ofClient): void {
                $ofClient[] = $info;
            });
            return $this->call($client, $case, function (ResponseInfo $info) use (&$ofCall): void {
                $ofCall[] = $info;
            });
        });

        $expect = $case['expect'];
        self::assertSame($expect['ok'] ?? $expect['error'], $outcome['answer']);
        self::assertSame($expect['code'] ?? '', $outcome['code']);
        self::assertCount($expect['calls'], $transport->requests);
        self::assertWithin($expect['waits_ms'], $transport->timing->waits);
        if (isset($expect['timeouts_ms'])) {
            $timeouts = array_map(static fn ($request): float => $request->timeout * 1000, $transport->requests);
            self::assertWithin($expect['timeouts_ms'], $timeouts);
        }
        foreach ($transport->requests as $request) {
            foreach ($expect['headers'] ?? [] as $name => $value) {
                self::assertSame($value, $request->headers[$name] ?? null);
            }
            self::assertTrue(str_ends_with($request->headers['user-agent'], $expect['user_agent_ends'] ?? ''));
        }
        self::assertEquals($ofClient, $ofCall);
        if (isset($expect['told'])) {
            $told = array_map(fn (ResponseInfo $info): array => self::told($info, $case['operation']), $ofCall);
            self::assertSame($expect['told'], $told);
        }
    }

    public function testWhatAHookThrowsEndsTheCall(): void
    {
        $transport = new ScriptedTransport([new Response(503), new Response(200, [], '{"id":"vrf_1"}')]);
        $client = $this->client($transport, [], static fn () => throw new \DomainException('of the hook'));
        try {
            $client->verify->get('vrf_1');
            self::fail('nothing was thrown');
        } catch (\DomainException) {
            self::assertCount(1, $transport->requests);
        }
    }

    /** As of a hook that calls Ramz itself. */
    public function testWhatAHookThrowsEndsTheCallWhateverItIs(): void
    {
        $limited = new RateLimitError('mine', errorCode: 'rate_limited', status: 429, retryAfter: 0);
        foreach ([new NetworkError('mine'), $limited] as $own) {
            foreach ([200, 503] as $status) {
                $transport = new ScriptedTransport(array_fill(0, 3, new Response($status, [], '{"id":"vrf_1"}')));
                $client = $this->client($transport, [], static fn () => throw $own);
                try {
                    $client->verify->send('+213550000001');
                    self::fail('nothing was thrown');
                } catch (NetworkError | RateLimitError $error) {
                    self::assertSame($own, $error);
                    self::assertCount(1, $transport->requests);
                }
            }
        }
    }

    public function testHeadersOfAResponseAreHeardWithoutTheKey(): void
    {
        $headers = ['X-RateLimit' => '7', 'X-Echo' => 'Bearer ' . Vectors::API_KEY, 'X-Request-Id' => 'req_1'];
        $transport = new ScriptedTransport([new Response(200, $headers, '{"sessions":[]}')]);
        $transport->takes = [0.131];
        $seen = [];
        $options = new CallOptions(onResponse: static function (ResponseInfo $info) use (&$seen): void {
            $seen[] = $info;
        });
        $this->client($transport, [])->verify->list(options: $options)->firstPage();
        self::assertSame(['7', 'Bearer ***', ''], [$seen[0]->header('x-ratelimit'), $seen[0]->header('X-Echo'), $seen[0]->header('x')]);
        self::assertSame('verify.list, attempt 1: HTTP 200 in 0.131 s (req_1)', (string) $seen[0]);
    }

    public function testAListTakesOptionsForEachPage(): void
    {
        $page = static fn (string $token): Response => new Response(200, [], '{"sessions":[],"next_page_token":"' . $token . '"}');
        $transport = new ScriptedTransport([$page('a'), $page('')]);
        $options = new CallOptions(timeout: 3.0, headers: ['X-Tenant' => '7']);
        self::assertSame([], iterator_to_array($this->client($transport, [])->verify->list(options: $options)));
        foreach ($transport->requests as $request) {
            self::assertSame([3.0, '7'], [$request->timeout, $request->headers['x-tenant']]);
        }
        self::assertCount(2, $transport->requests);
    }

    public function testAWatchTakesNoTotal(): void
    {
        $this->expectException(ConfigurationError::class);
        $watch = $this->client(new ScriptedTransport([]), [])->verify->watch('vrf_1', new CallOptions(totalTimeout: 1.0));
        $watch->current();
    }

    public function testASecretHeaderIsNotShown(): void
    {
        $client = $this->client(new ScriptedTransport([]), ['headers' => ['X-Gateway' => 's3cret']]);
        $shown = print_r($client, true) . print_r(new CallOptions(headers: ['X-Gateway' => 's3cret']), true);
        self::assertStringNotContainsString('s3cret', $shown);
        try {
            $this->client(new ScriptedTransport([]), ['headers' => ['X-Gateway' => "s3cret\n"]]);
            self::fail('it was taken');
        } catch (ConfigurationError $error) {
            self::assertStringNotContainsString('s3cret', (string) $error);
        }
    }

    public function testThePackageNeedsNoOther(): void
    {
        $manifest = json_decode((string) file_get_contents(dirname(__DIR__) . '/composer.json'), true);
        self::assertSame(['php', 'ext-json'], array_keys($manifest['require']));
        self::assertArrayNotHasKey('require-dev', $manifest);
    }

    /** @param array<string, mixed> $options */
    private function client(ScriptedTransport $transport, array $options, ?\Closure $hook = null): Client
    {
        return new Client(...self::named($options) + [
            'apiKey' => Vectors::API_KEY,
            'baseUrl' => Vectors::BASE_URL,
            'httpClient' => $transport,
            'onResponse' => $hook,
            'timing' => $transport->timing,
        ]);
    }

    /** @param array<string, mixed> $case */
    private function call(Client $client, array $case, \Closure $hook): mixed
    {
        $given = self::named($case['options'] ?? []);
        $key = array_intersect_key($given, ['idempotencyKey' => 1]);
        $options = new CallOptions(...array_diff_key($given, $key) + ['onResponse' => $hook]);
        [$resource, $method] = explode('.', $case['operation']);
        $arguments = self::REQUIRED[$case['operation']] + $key + ['options' => $options];
        return $client->{$resource}->{$method}(...$arguments);
    }

    /**
     * `timeout_ms` of the vectors is `timeout` in seconds here.
     *
     * @param array<string, mixed> $options
     *
     * @return array<string, mixed>
     */
    private static function named(array $options): array
    {
        $named = [];
        foreach ($options as $name => $value) {
            $isTime = str_ends_with($name, '_ms');
            $named[Vectors::camel($isTime ? substr($name, 0, -3) : $name)] = $isTime ? $value / 1000 : $value;
        }
        return $named;
    }

    /** @param array<string, mixed> $case */
    private static function answer(array $case): Response|NetworkError
    {
        return match ($case['fault'] ?? null) {
            'connection' => new NetworkError('lost'),
            'timeout' => new RequestTimeoutError('late'),
            null => Vectors::response($case),
        };
    }

    /**
     * Seconds; null: all that the attempt has.
     *
     * @param array<string, mixed> $case
     */
    private static function takes(array $case): ?float
    {
        return ($case['fault'] ?? '') === 'timeout' ? null : ($case['takes_ms'] ?? 0) / 1000;
    }

    /**
     * @param list<array{float, float}> $bounds
     * @param list<float> $found
     */
    private static function assertWithin(array $bounds, array $found): void
    {
        self::assertCount(count($bounds), $found);
        foreach ($bounds as $index => [$least, $most]) {
            self::assertGreaterThanOrEqual($least - 0.001, $found[$index]);
            self::assertLessThanOrEqual($most + 0.001, $found[$index]);
        }
    }

    /** @return array<string, mixed> */
    private static function told(ResponseInfo $info, string $operation): array
    {
        self::assertSame($operation, $info->operation);
        return [
            'attempt' => $info->attempt,
            'status' => $info->status,
            'request_id' => $info->requestId,
            'duration_ms' => (int) round($info->duration * 1000),
        ];
    }

    /**
     * @param \Closure(): mixed $call
     *
     * @return array{answer: string, code: string}
     */
    private function outcome(\Closure $call): array
    {
        try {
            return ['answer' => $call()->id, 'code' => ''];
        } catch (RamzError $error) {
            return ['answer' => Vectors::kind($error), 'code' => $error instanceof ApiError ? $error->errorCode : ''];
        }
    }
}
