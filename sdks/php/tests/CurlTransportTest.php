<?php

declare(strict_types=1);

namespace Ramz\Tests;

use PHPUnit\Framework\TestCase;
use Ramz\CallOptions;
use Ramz\Client;
use Ramz\Error\ApiError;
use Ramz\Error\NetworkError;
use Ramz\Error\NotFoundError;
use Ramz\Error\RateLimitError;
use Ramz\Error\RequestTimeoutError;
use Ramz\Error\ServerError;
use Ramz\Http\CurlTransport;
use Ramz\Http\Request;
use Ramz\Http\StreamingTransport;
use Ramz\Model\WatchSessionResponse;
use Ramz\ResponseInfo;
use Ramz\Tests\Support\RecordedTiming;
use Ramz\Tests\Support\Server;

/** The default transport against a server on loopback. */
final class CurlTransportTest extends TestCase
{
    private static Server $server;

    public static function setUpBeforeClass(): void
    {
        self::$server = new Server();
    }

    public static function tearDownAfterClass(): void
    {
        self::$server->stop();
    }

    private function client(string $scenario, float $timeout = 5.0): Client
    {
        return new Client('key', self::$server->url . "/{$scenario}/", $timeout, 0, timing: new RecordedTiming());
    }

    public function testBodyAndHeadersArriveAsTheyWere(): void
    {
        $request = new Request('POST', self::$server->url . '/echo/a%2Fb?x=%20', ['x-own' => 'é'], '{"a":"🙂"}', 5.0);
        $echo = json_decode((new CurlTransport())->send($request)->body, true);
        self::assertSame(['POST', '/echo/a%2Fb?x=%20', '{"a":"🙂"}'], [$echo['method'], $echo['target'], $echo['body']]);
        self::assertSame('é', $echo['headers']['x-own']);
        self::assertArrayNotHasKey('expect', $echo['headers']);
        self::assertArrayNotHasKey('content-type', $echo['headers'], 'curl would add one of its own');
    }

    public function testOneHandleServesManyCallsWithoutKeepingTheirHeaders(): void
    {
        $transport = new CurlTransport();
        $url = self::$server->url . '/echo';
        $transport->send(new Request('PATCH', $url, ['x-own' => '1'], 'body', 5.0));
        $echo = json_decode($transport->send(new Request('GET', $url, [], null, 5.0))->body, true);
        self::assertSame(['GET', ''], [$echo['method'], $echo['body']]);
        self::assertArrayNotHasKey('x-own', $echo['headers']);
    }

    public function testRedirectsAreNotFollowed(): void
    {
        $this->expectException(ServerError::class);
        $this->expectExceptionMessage('HTTP 302');
        $this->client('away')->verify->get('vrf_1');
    }

    public function testHeadersOfInterimAnswersAreNotThoseOfTheAnswer(): void
    {
        try {
            $this->client('early')->verify->get('vrf_1');
            self::fail('there is an error');
        } catch (ServerError $error) {
            self::assertSame(['req_1', 3], [$error->requestId, $error->retryAfter]);
        }
    }

    public function testSilenceIsATimeout(): void
    {
        $this->expectException(RequestTimeoutError::class);
        $this->client('silent', 0.05)->verify->get('vrf_1');
    }

    public function testALostConnectionIsANetworkError(): void
    {
        try {
            $this->client('drop')->verify->get('vrf_1');
            self::fail('there is an error');
        } catch (NetworkError $error) {
            self::assertNotInstanceOf(RequestTimeoutError::class, $error);
        }
    }

    public function testACallThatMustNotBeRepeatedIsSentOnceOverAConnectionThatIsLost(): void
    {
        $client = $this->client('kept');
        $client->accounts->get(); // Leaves a connection behind, which curl would use again.
        try {
            $client->apiKeys->create(name: 'backend');
            self::fail('there is an error');
        } catch (NetworkError) {
        }
        $answer = (new CurlTransport())->send(new Request('GET', self::$server->url . '/kept', [], null, 5.0));
        self::assertSame(1, json_decode($answer->body, true)['lost']);
    }

    public function testABodyOfAGigabyteIsLeft(): void
    {
        $classes = ['big' => ServerError::class, 'big-error' => ServerError::class, 'headers' => ServerError::class];
        foreach ($classes as $scenario => $class) {
            try {
                $this->client($scenario, 20.0)->verify->get('vrf_1');
                self::fail($scenario);
            } catch (ApiError $error) {
                self::assertInstanceOf($class, $error);
                self::assertStringContainsString('larger than any answer', $error->getMessage());
            }
        }
    }

    public function testAStreamOfSomebodyElsesSessionIsNotTold(): void
    {
        $told = array_map(
            static fn (WatchSessionResponse $one): array => [$one->session?->id, $one->session?->status],
            iterator_to_array($this->client('other')->verify->watch('vrf_1')),
        );
        self::assertSame([['vrf_1', 'verified']], $told);
    }

    public function testABodyPackedByGzipIsRead(): void
    {
        self::assertSame('vrf_1', $this->client('gzip')->verify->get('vrf_1')->id);
    }

    public function testAGzipBombIsLeft(): void
    {
        $before = memory_get_peak_usage();
        try {
            $this->client('bomb', 20.0)->verify->get('vrf_1');
            self::fail('there is an error');
        } catch (ServerError $error) {
            self::assertStringContainsString('larger than any answer', $error->getMessage());
        }
        self::assertLessThan(64 << 20, memory_get_peak_usage() - $before);
    }

    public function testTheKeyThatComesBackIsInNoError(): void
    {
        $key = 'ramz_test_verysecret';
        try {
            (new Client($key, self::$server->url . '/reflect', 5.0, 0))->verify->get('vrf_1');
            self::fail('there is an error');
        } catch (ServerError $error) {
            self::assertStringContainsString('HTTP 308 to https://elsewhere.example/…', $error->getMessage());
            self::assertSame('Bearer ***', $error->header('X-Echo'));
            self::assertSame('https://***@elsewhere.example/?***', $error->header('location'));
            self::assertStringEndsWith('Bearer ***', $error->body);
            self::assertStringNotContainsString($key, print_r([$error->getMessage(), $error->headers, $error->body], true));
        }
    }

    public function testABodyThatDripsEndsWithTheTimeOfTheTry(): void
    {
        $this->expectException(RequestTimeoutError::class);
        $this->client('drip', 0.1)->verify->get('vrf_1');
    }

    public function testTheKeyIsInNoTrace(): void
    {
        $client = new Client('ramz_test_verysecret', 'http://127.0.0.1:1', 1.0, 0);
        $before = ini_set('zend.exception_ignore_args', '0');
        try {
            $client->verify->get('vrf_1');
            self::fail('nobody listens');
        } catch (NetworkError $error) {
            // As loggers and error pages do.
            $mine = array_slice($error->getTrace(), 0, 4);
            $shown = print_r($mine, true) . var_export(self::withoutThis($mine), true) . json_encode(self::withoutThis($mine));
            self::assertStringContainsString('vrf_1', $shown);
            self::assertStringNotContainsString('verysecret', $shown);
        } finally {
            ini_set('zend.exception_ignore_args', (string) $before);
        }
    }

    /**
     * @param list<array<string, mixed>> $trace
     *
     * @return list<mixed>
     */
    private static function withoutThis(array $trace): array
    {
        return array_map(static fn (array $frame): array => $frame['args'] ?? [], $trace);
    }

    public function testNobodyListensIsANetworkError(): void
    {
        $this->expectException(NetworkError::class);
        (new Client('key', 'http://127.0.0.1:1', 1.0, 0))->verify->get('vrf_1');
    }

    public function testItsOwnOptionsWinOverTheCallers(): void
    {
        $transport = new CurlTransport([CURLOPT_FOLLOWLOCATION => true, CURLOPT_USERAGENT => 'mine']);
        $this->expectExceptionMessage('HTTP 302');
        (new Client('key', self::$server->url . '/away', maxRetries: 0, httpClient: $transport))->verify->get('vrf_1');
    }

    public function testAWatchReadsTheStream(): void
    {
        self::assertSame([['pending', 1], ['verified', 2]], self::told($this->client('watch')));
    }

    public function testAWatchThatIsCutOffAsksOnce(): void
    {
        self::assertSame([['pending', 1], ['verified', 2]], self::told($this->client('cut')));
    }

    public function testAWatchWhoseStreamsAreHeldBackOnTheWayOnlyAsks(): void
    {
        // The calls behind the streams have this time, too.
        $told = iterator_to_array($this->client('muffled')->verify->watch('vrf_1'), false);
        $last = end($told);
        self::assertSame('verified', $last->session?->status);
        self::assertSame(2, $last->session->run, 'streams that were tried');
    }

    public function testAStateThatACallToldIsNotToldByTheNextStream(): void
    {
        self::assertSame([['pending', 1], ['verified', 2]], self::told($this->client('late')));
    }

    /** A call would not say it: the session may be asked for. */
    public function testAWatchTooManyIsRefused(): void
    {
        try {
            self::told($this->client('full'));
            self::fail('it asks again and again in place of the stream');
        } catch (RateLimitError $error) {
            self::assertSame('the account watches 100 sessions at this process', $error->getMessage());
            self::assertSame(['too_many_watches', 429], [$error->errorCode, $error->status]);
            self::assertSame(['req_1', 5], [$error->requestId, $error->retryAfter]);
        }
    }

    public function testAWatchOfNothingSaysWhy(): void
    {
        $this->expectException(NotFoundError::class);
        self::told($this->client('gone'));
    }

    public function testLettingGoOfAWatchEndsIt(): void
    {
        $watch = $this->client('endless')->verify->watch('vrf_1');
        self::assertSame('pending', $watch->current()->session?->status);
        unset($watch);
        // The server still serves: nothing hangs.
        self::assertSame([['pending', 1], ['verified', 2]], self::told($this->client('watch')));
    }

    public function testEachConnectionOfAWatchIsHeardOf(): void
    {
        $heard = static function (string $scenario): array {
            $seen = [];
            $options = new CallOptions(timeout: 5.0, onResponse: function (ResponseInfo $info) use (&$seen): void {
                $seen[] = "{$info->operation} {$info->attempt} {$info->status}";
            });
            $client = new Client('key', self::$server->url . "/{$scenario}/", maxRetries: 0, timing: new RecordedTiming());
            iterator_to_array($client->verify->watch('vrf_1', $options), false);
            return $seen;
        };
        self::assertSame(['verify.watch 1 200'], $heard('watch'));
        self::assertSame(['verify.watch 1 200', 'verify.get 1 200'], $heard('cut'), 'what follows is a call');
        self::assertSame('verify.watch 1 0', $heard('muffled')[0]);
    }

    public function testWhatAHookThrowsEndsAWatch(): void
    {
        foreach (['watch', 'drop'] as $scenario) {
            $own = new NetworkError('mine');
            $heard = 0;
            $options = new CallOptions(onResponse: static function () use ($own, &$heard): void {
                $heard++;
                throw $own;
            });
            try {
                iterator_to_array($this->client($scenario)->verify->watch('vrf_1', $options), false);
                self::fail('nothing was thrown');
            } catch (NetworkError $error) {
                self::assertSame([$own, 1], [$error, $heard]);
            }
        }
    }

    public function testAStreamThatNeverBeginsIsATimeout(): void
    {
        $transport = new CurlTransport();
        self::assertInstanceOf(StreamingTransport::class, $transport);
        $this->expectException(RequestTimeoutError::class);
        iterator_to_array($transport->stream(new Request('POST', self::$server->url . '/silent', [], '', 0.05)));
    }

    /** @return list<array{string, int}> */
    private static function told(Client $client): array
    {
        return array_map(
            static fn (WatchSessionResponse $one): array => [(string) $one->session?->status, count($one->newEntries)],
            iterator_to_array($client->verify->watch('vrf_1'), false),
        );
    }
}
