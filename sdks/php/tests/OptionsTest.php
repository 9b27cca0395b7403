<?php

declare(strict_types=1);

namespace Ramz\Tests;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;
use Ramz\Client;
use Ramz\Error\ConfigurationError;
use Ramz\Error\NetworkError;
use Ramz\Http\Response;
use Ramz\Model\Autofill;
use Ramz\Model\CascadeLeg;
use Ramz\Tests\Support\ScriptedTransport;
use Ramz\Tests\Support\Vectors;

/** Options and arguments, above all those that users get wrong. */
final class OptionsTest extends TestCase
{
    private const SECRET = 'ramz_live_verysecret';

    protected function tearDown(): void
    {
        foreach (['RAMZ_API_KEY', 'RAMZ_BASE_URL'] as $name) {
            putenv($name);
            unset($_ENV[$name], $_SERVER[$name]);
        }
    }

    protected function setUp(): void
    {
        $this->tearDown();
    }

    /** @return array<string, array{array<string, mixed>, string}> */
    public static function wrong(): array
    {
        $good = ['apiKey' => self::SECRET, 'baseUrl' => 'https://verify.example'];
        return [
            'no key' => [['baseUrl' => 'https://verify.example'], 'RAMZ_API_KEY'],
            'an empty key' => [['apiKey' => ''] + $good, 'RAMZ_API_KEY'],
            'a key with a newline' => [['apiKey' => self::SECRET . "\n"] + $good, 'API key'],
            'a key with a header in it' => [['apiKey' => "a\r\nx: y"] + $good, 'API key'],
            'no address' => [['apiKey' => self::SECRET], 'RAMZ_BASE_URL'],
            'no scheme' => [['baseUrl' => 'verify.example'] + $good, 'baseUrl'],
            'another scheme' => [['baseUrl' => 'file:///etc/passwd'] + $good, 'baseUrl'],
            'a user in it' => [['baseUrl' => 'https://me:pw@verify.example'] + $good, 'baseUrl'],
            'a query in it' => [['baseUrl' => 'https://verify.example/?a=b'] + $good, 'baseUrl'],
            'a newline in it' => [['baseUrl' => "https://verify.example\n"] + $good, 'baseUrl'],
            'no time' => [['timeout' => 0.0] + $good, 'timeout'],
            'time that is no number' => [['timeout' => NAN] + $good, 'timeout'],
            'time without end' => [['timeout' => INF] + $good, 'timeout'],
            'fewer than no retries' => [['maxRetries' => -1] + $good, 'maxRetries'],
        ];
    }

    /**
     * @dataProvider wrong
     *
     * @param array<string, mixed> $options
     */
    #[DataProvider('wrong')]
    public function testWrongOptionsAreToldAtOnce(array $options, string $named): void
    {
        try {
            new Client(...$options);
            self::fail('there is an error');
        } catch (ConfigurationError $error) {
            self::assertStringContainsString($named, $error->getMessage());
            self::assertStringNotContainsString('verysecret', (string) $error);
        }
    }

    public function testTheEnvironmentIsRead(): void
    {
        putenv('RAMZ_API_KEY=from-getenv');
        $_ENV['RAMZ_BASE_URL'] = 'https://env.example/base/';
        $transport = new ScriptedTransport([new Response(200, [], '{"id":"whe_1"}')]);
        (new Client(httpClient: $transport))->accounts->get();
        self::assertSame('https://env.example/base/v1/account', $transport->requests[0]->url);
        self::assertSame('Bearer from-getenv', $transport->requests[0]->headers['authorization']);
    }

    public function testTheKeyIsInNoDump(): void
    {
        $transport = new ScriptedTransport([new NetworkError('lost')]);
        $client = new Client(self::SECRET, 'https://verify.example', maxRetries: 0, httpClient: $transport);
        try {
            $client->verify->get('vrf_1');
            self::fail('there is an error');
        } catch (NetworkError $error) {
            self::assertStringNotContainsString('verysecret', print_r($error, true) . $error);
        }
        ob_start();
        var_dump($client, $transport->requests);
        $dump = ob_get_clean();
        self::assertStringNotContainsString('verysecret', $dump . print_r($client, true) . json_encode($client));
        $caller = (new \ReflectionProperty($client->verify, 'caller'))->getValue($client->verify);
        $settings = (new \ReflectionProperty($caller, 'settings'))->getValue($caller);
        self::assertStringNotContainsString('verysecret', var_export($settings, true));
    }

    public function testAClientIsNotSerialised(): void
    {
        $this->expectExceptionMessage('Serialization');
        serialize(new Client(self::SECRET, 'https://verify.example'));
    }

    /** @return list<array{string}> */
    public static function noIds(): array
    {
        return [[''], ['.'], ['..']];
    }

    /** @dataProvider noIds */
    #[DataProvider('noIds')]
    public function testAnIdThatLeadsElsewhereIsNotSent(string $id): void
    {
        $this->expectException(ConfigurationError::class);
        Vectors::client(new ScriptedTransport([]))->verify->get($id);
    }

    public function testTextThatIsNotUtf8IsNotSent(): void
    {
        $this->expectException(ConfigurationError::class);
        Vectors::client(new ScriptedTransport([]))->verify->send('+213550000001', clientReference: "\xff");
    }

    public function testAnIdempotencyKeyCannotBringHeaders(): void
    {
        foreach (["a\r\nx: y", "a\n", ' a', 'a ', '', 'é', str_repeat('a', 257)] as $key) {
            try {
                Vectors::client(new ScriptedTransport([]))->verify->send('+213550000001', idempotencyKey: $key);
                self::fail($key);
            } catch (ConfigurationError $error) {
                self::assertStringContainsString('idempotencyKey', $error->getMessage());
            }
        }
    }

    public function testModelsAreTakenAsArguments(): void
    {
        $transport = new ScriptedTransport([new Response(200, [], '{"id":"whe_1"}')]);
        Vectors::client($transport)->verify->send(
            to: '+213550000001',
            cascade: [new CascadeLeg(channel: 'sms', timeoutSeconds: 10), ['channel' => 'voice']],
            autofill: new Autofill(webOrigin: 'shop.example'),
        );
        self::assertSame(
            '{"to":"+213550000001","cascade":[{"channel":"sms","timeout_seconds":10},{"channel":"voice"}],'
            . '"autofill":{"web_origin":"shop.example"}}',
            $transport->requests[0]->body,
        );
    }

    public function testAnEmptyBodyIsAnObject(): void
    {
        $transport = new ScriptedTransport([new Response(200, [], '{"id":"whe_1"}')]);
        Vectors::client($transport)->webhookEndpoints->rotateSecret('whe_1');
        self::assertSame('{}', $transport->requests[0]->body);
    }

    public function testWhatIsEmptyOnPurposeIsSent(): void
    {
        $transport = new ScriptedTransport([new Response(200, [], '{"id":"whe_1"}')]);
        Vectors::client($transport)->accounts->update(defaultSenderId: '', inCountryOnly: false);
        self::assertSame('{"default_sender_id":"","in_country_only":false}', $transport->requests[0]->body);
    }
}
