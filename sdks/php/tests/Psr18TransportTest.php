<?php

declare(strict_types=1);

namespace Ramz\Tests;

use GuzzleHttp\Client as Guzzle;
use GuzzleHttp\Psr7\HttpFactory;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;
use Psr\Http\Client\ClientExceptionInterface;
use Psr\Http\Client\ClientInterface;
use Psr\Http\Message\RequestInterface;
use Psr\Http\Message\ResponseInterface;
use Ramz\CallOptions;
use Ramz\Client;
use Ramz\Error\ConfigurationError;
use Ramz\Error\NetworkError;
use Ramz\Error\RequestTimeoutError;
use Ramz\Error\ServerError;
use Ramz\Http\Psr18Transport;
use Ramz\Http\Request;
use Ramz\Tests\Support\RecordedTiming;
use Ramz\Tests\Support\Server;

/** A PSR-18 client (Guzzle, from Debian) in place of the default transport. */
final class Psr18TransportTest extends TestCase
{
    private const DEBIAN = '/usr/share/php/GuzzleHttp/autoload.php';
    private static Server $server;

    public static function setUpBeforeClass(): void
    {
        if (!class_exists(Guzzle::class)) {
            if (!is_file(self::DEBIAN)) {
                self::markTestSkipped('Guzzle is not installed (php-guzzlehttp-guzzle)');
            }
            require_once self::DEBIAN;
        }
        self::$server = new Server();
    }

    public static function tearDownAfterClass(): void
    {
        isset(self::$server) && self::$server->stop();
    }

    private function client(string $scenario, float $timeout = 5.0): Client
    {
        $guzzle = new Guzzle(['timeout' => $timeout, 'allow_redirects' => true]);
        $timing = new RecordedTiming();
        return new Client('key', self::$server->url . "/{$scenario}", maxRetries: 0, httpClient: $guzzle, timing: $timing);
    }

    public function testBodyAndHeadersArriveAsTheyWere(): void
    {
        $factory = new HttpFactory();
        $transport = new Psr18Transport(new Guzzle(), $factory, $factory);
        $request = new Request('POST', self::$server->url . '/echo/a%2Fb?x=%20', ['x-own' => '1'], '{"a":"🙂"}', 5.0);
        $echo = json_decode($transport->send($request)->body, true);
        self::assertSame(['POST', '/echo/a%2Fb?x=%20', '{"a":"🙂"}'], [$echo['method'], $echo['target'], $echo['body']]);
        self::assertSame('1', $echo['headers']['x-own']);
    }

    public function testAnErrorIsReadWithItsHeaders(): void
    {
        try {
            $this->client('early')->verify->send('+213550000001');
            self::fail('there is an error');
        } catch (ServerError $error) {
            self::assertSame(['req_1', 3], [$error->requestId, $error->retryAfter]);
        }
    }

    public function testRedirectsAreNotFollowed(): void
    {
        $this->expectExceptionMessage('HTTP 302');
        $this->client('away')->verify->get('vrf_1');
    }

    /** A stand-in: Symfony's own is not packaged with that version. */
    public function testSymfonysClientIsToldNotToFollowThem(): void
    {
        $client = new class (new Guzzle()) implements ClientInterface {
            /** @var array<string, mixed> */
            private array $options = [];

            public function __construct(private readonly ClientInterface $client)
            {
            }

            /** @param array<string, mixed> $options */
            public function withOptions(array $options): static
            {
                $copy = clone $this;
                $copy->options = $options;
                return $copy;
            }

            public function sendRequest(RequestInterface $request): ResponseInterface
            {
                return $this->client->sendRequest($request)->withHeader('x-options', (string) json_encode($this->options));
            }
        };
        class_alias($client::class, 'Symfony\Component\HttpClient\Psr18Client');
        $answer = Psr18Transport::around($client)->send(new Request('GET', self::$server->url . '/away', [], null, 5.0));
        self::assertSame([302, '{"max_redirects":0}'], [$answer->status, $answer->header('x-options')]);
    }

    public function testSilenceIsATimeout(): void
    {
        $this->expectException(RequestTimeoutError::class);
        $this->client('silent', 0.05)->verify->get('vrf_1');
    }

    public function testALostConnectionIsANetworkErrorWithoutTheKey(): void
    {
        try {
            $this->client('drop')->verify->get('vrf_1');
            self::fail('there is an error');
        } catch (NetworkError $error) {
            self::assertNotInstanceOf(RequestTimeoutError::class, $error);
            self::assertNull($error->getPrevious());
        }
    }

    /** @return array<string, array{\Closure(Client): mixed}> */
    public static function callsWithANumberInTheAddress(): array
    {
        return [
            'a list' => [static fn (Client $client) => $client->verify->list(to: '+213550000001')->firstPage()],
            'an erasure' => [static fn (Client $client) => $client->numbers->erase('+213550000001')],
            'an erasure with signs' => [static fn (Client $client) => $client->numbers->erase('("+213550000001")')],
            'an erasure everywhere' => [static fn (Client $client) => $client->admin->eraseNumberEverywhere('+213550000001')],
        ];
    }

    /**
     * @dataProvider callsWithANumberInTheAddress
     *
     * @param \Closure(Client): mixed $call
     */
    #[DataProvider('callsWithANumberInTheAddress')]
    public function testThePhoneNumberInAnAddressIsInNoError(\Closure $call): void
    {
        $client = new Client('key', 'http://127.0.0.1:1/(a"b', maxRetries: 0, httpClient: new Guzzle(['timeout' => 1]));
        try {
            $call($client);
            self::fail('nobody listens');
        } catch (NetworkError $error) {
            self::assertStringContainsString('http://127.0.0.1:1/…', $error->getMessage());
            self::assertStringNotContainsString('550000001', $error->getMessage());
        }
    }

    /** @return array<string, array{string, string}> */
    public static function messages(): array
    {
        $address = 'https://ramz.example:8443/v1/numbers/%2B213550000001';
        return [
            'curl’s' => ["Could not resolve host for {$address}", 'Could not resolve host for https://ramz.example:8443/…'],
            'Symfony’s' => ["Timeout reached for \"{$address}\".", 'Timeout reached for "https://ramz.example:8443/…".'],
            'in brackets' => ["no way ({$address}): refused", 'no way (https://ramz.example:8443/…): refused'],
            'a query' => ['GET HTTP://[::1]:80?to=%2B213550000001, twice', 'GET HTTP://[::1]:80/…, twice'],
            'a password' => ['by http://me:secret@proxy:3128', 'by http://proxy:3128'],
            'a host alone' => ['refused by https://ramz.example:8443.', 'refused by https://ramz.example:8443.'],
            'two of them' => ["{$address} is not {$address}?x=1", 'https://ramz.example:8443/… is not https://ramz.example:8443/…'],
        ];
    }

    /** @dataProvider messages */
    #[DataProvider('messages')]
    public function testOfAnAddressSchemeHostAndPortAreLeft(string $message, string $shown): void
    {
        $client = new class ($message) implements ClientInterface {
            public function __construct(private readonly string $message)
            {
            }

            public function sendRequest(RequestInterface $request): ResponseInterface
            {
                throw new class ($this->message) extends \RuntimeException implements ClientExceptionInterface {
                };
            }
        };
        $this->expectExceptionObject(new NetworkError($shown));
        (new Client('key', 'https://ramz.example', maxRetries: 0, httpClient: $client))->accounts->get();
    }

    public function testABodyOfAGigabyteIsLeft(): void
    {
        $guzzle = new Guzzle(['timeout' => 20, 'stream' => true]);
        $client = new Client('key', self::$server->url . '/big', maxRetries: 0, httpClient: $guzzle);
        $this->expectException(ServerError::class);
        $this->expectExceptionMessage('larger than any answer');
        $client->verify->get('vrf_1');
    }

    public function testTheKeyIsInNoTrace(): void
    {
        $client = new Client('ramz_test_verysecret', 'http://127.0.0.1:1', maxRetries: 0, httpClient: new Guzzle(['timeout' => 1]));
        $before = ini_set('zend.exception_ignore_args', '0');
        try {
            $client->verify->get('vrf_1');
            self::fail('nobody listens');
        } catch (NetworkError $error) {
            $shown = print_r(array_slice($error->getTrace(), 0, 4), true);
            self::assertStringContainsString('vrf_1', $shown);
            self::assertStringNotContainsString('verysecret', $shown);
        } finally {
            ini_set('zend.exception_ignore_args', (string) $before);
        }
    }

    public function testAWatchAsksWhereThereIsNoStream(): void
    {
        $told = iterator_to_array($this->client('cut')->verify->watch('vrf_1'), false);
        self::assertCount(1, $told);
        self::assertSame('verified', $told[0]->session?->status);
        self::assertCount(3, $told[0]->newEntries);
    }

    public function testATimeoutThatItCannotKeepIsRefused(): void
    {
        $make = static fn (?float $timeout): Client => new Client('key', 'https://verify.example', $timeout, httpClient: new Guzzle());
        $client = $make(null);
        foreach (
            [
                static fn () => $make(5.0),
                static fn () => $client->accounts->get(new CallOptions(timeout: 5.0)),
                static fn () => $client->verify->watch('vrf_1', new CallOptions(timeout: 5.0))->current(),
            ] as $call
        ) {
            try {
                $call();
                self::fail('it was taken');
            } catch (ConfigurationError $error) {
                self::assertStringContainsString('PSR-18 has no timeouts', $error->getMessage());
            }
        }
    }
}
