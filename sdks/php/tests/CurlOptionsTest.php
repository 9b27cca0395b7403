<?php

declare(strict_types=1);

namespace Ramz\Tests;

use PHPUnit\Framework\TestCase;
use Ramz\Error\ConfigurationError;
use Ramz\Error\NetworkError;
use Ramz\Error\RequestTimeoutError;
use Ramz\Http\CurlTransport;
use Ramz\Http\Request;
use Ramz\Tests\Support\Server;

/** Options of curl that the caller gives. */
final class CurlOptionsTest extends TestCase
{
    private const DEAF = 'http://127.0.0.1:1';

    /** @return array<string, array{array<int, mixed>}> */
    public static function wrongOptions(): array
    {
        return [
            'CURLOPT_SSLVERSION' => [[\CURLOPT_SSLVERSION => 99, \CURLOPT_PROXY => self::DEAF]],
            'CURLOPT_HTTPHEADER' => [[\CURLOPT_HTTPHEADER => 'x-tenant: 7', \CURLOPT_PROXY => self::DEAF]],
            'the option -5' => [[-5 => true, \CURLOPT_PROXY => self::DEAF]],
        ];
    }

    /**
     * Curl would take none of those behind it either, and calls would go past the proxy.
     *
     * @dataProvider wrongOptions
     *
     * @param array<int, mixed> $options
     */
    public function testOneThatCurlDoesNotTakeIsRefused(array $options): void
    {
        $this->expectException(ConfigurationError::class);
        $this->expectExceptionMessage((string) $this->dataName());
        new CurlTransport($options);
    }

    public function testOthersHold(): void
    {
        $transport = new CurlTransport([\CURLOPT_SSLVERSION => \CURL_SSLVERSION_TLSv1_2, \CURLOPT_PROXY => self::DEAF]);
        $this->expectException(NetworkError::class);
        $this->expectExceptionMessageMatches('/127\.0\.0\.1 port 1 /');
        $transport->send(new Request('GET', 'http://127.0.0.1:2/', [], null, 5.0));
    }

    /**
     * Some are another name for what the client sets itself, and the last one that curl hears holds.
     *
     * @return array<string, array{array<int, mixed>}>
     */
    public static function optionsOfTheClient(): array
    {
        return [
            'the answer as a value' => [[\CURLOPT_RETURNTRANSFER => true]],
            'headers in the answer' => [[\CURLOPT_HEADER => true]],
            'no answer with an error' => [[\CURLOPT_FAILONERROR => true]],
            'a limit in seconds' => [[\CURLOPT_TIMEOUT => 60]],
        ];
    }

    /**
     * @dataProvider optionsOfTheClient
     *
     * @param array<int, mixed> $options
     */
    public function testThoseOfTheClientWin(array $options): void
    {
        $server = new Server();
        $transport = new CurlTransport($options);
        $target = '/v1/verify/sessions/vrf_1';
        $answer = $transport->send(new Request('GET', "{$server->url}/echo{$target}", [], null, 5.0));
        self::assertSame("/echo{$target}", \json_decode($answer->body, true)['target'] ?? $answer->body);
        self::assertSame(503, $transport->send(new Request('GET', "{$server->url}/early", [], null, 5.0))->status);
        try {
            $transport->send(new Request('GET', "{$server->url}/drip", [], null, 0.3));
            self::fail('it took longer than its time limit');
        } catch (RequestTimeoutError) {
            self::assertTrue(true);
        }
        $server->stop();
    }

    /** Shorter than the call: another host may still be asked in time. */
    public function testTheLimitForConnectingIsTheCallers(): void
    {
        $options = (new \ReflectionMethod(CurlTransport::class, 'optionsOf'))->invoke(
            new CurlTransport([\CURLOPT_CONNECTTIMEOUT => 2]),
            new Request('GET', self::DEAF, [], null, 5.0),
            [],
        );
        // The last one holds.
        $limits = [\CURLOPT_CONNECTTIMEOUT, \CURLOPT_CONNECTTIMEOUT_MS];
        self::assertSame(\CURLOPT_CONNECTTIMEOUT, \array_values(\array_intersect(\array_keys($options), $limits))[1]);
    }

    /** As with Swoole's coroutines, which share what an application made once. */
    public function testFibersThatTakeTurnsHaveAHandleEach(): void
    {
        $server = new Server();
        $transport = new CurlTransport([
            \CURLOPT_NOPROGRESS => false,
            \CURLOPT_XFERINFOFUNCTION => static function (): int {
                \Fiber::getCurrent() === null || \Fiber::suspend();
                return 0;
            },
        ]);
        $fibers = [];
        foreach (['a', 'b', 'c'] as $name) {
            $request = new Request('GET', "{$server->url}/echo/{$name}", [], null, 5.0);
            $fibers["/echo/{$name}"] = new \Fiber(static fn (): string => $transport->send($request)->body);
        }
        \array_map(static fn (\Fiber $fiber): mixed => $fiber->start(), $fibers);
        while (\array_filter($fibers, static fn (\Fiber $fiber): bool => !$fiber->isTerminated()) !== []) {
            foreach ($fibers as $fiber) {
                $fiber->isTerminated() || $fiber->resume();
            }
        }
        foreach ($fibers as $target => $fiber) {
            self::assertSame($target, \json_decode($fiber->getReturn(), true)['target']);
        }
        $server->stop();
    }

    public function testATimeLimitMayBeLongerThanALife(): void
    {
        $milliseconds = new \ReflectionMethod(CurlTransport::class, 'milliseconds');
        self::assertSame(1_500, $milliseconds->invoke(null, 1.5));
        self::assertSame(1, $milliseconds->invoke(null, 0.0001));
        self::assertSame(2 ** 31 - 1, $milliseconds->invoke(null, (float) \PHP_INT_MAX));
    }
}
