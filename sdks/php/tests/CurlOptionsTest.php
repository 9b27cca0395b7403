<?php

declare(strict_types=1);

namespace Ramz\Tests;

use PHPUnit\Framework\TestCase;
use Ramz\Error\ConfigurationError;
use Ramz\Error\NetworkError;
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
