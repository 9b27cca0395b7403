<?php

declare(strict_types=1);

namespace Ramz\Tests;

use PHPUnit\Framework\TestCase;
use Ramz\Client;
use Ramz\Error\AuthenticationError;
use Ramz\Error\InvalidRequestError;
use Ramz\Error\NotFoundError;
use Ramz\Error\SignatureError;
use Ramz\Model\Session;
use Ramz\Model\SessionSummary;
use Ramz\Model\SessionEvent;
use Ramz\Model\WebhookEndpoint;
use Ramz\Tests\Support\CountingTransport;
use Ramz\Tests\Support\Sandbox;
use Ramz\Webhooks;

/** One story against the running service: what every SDK tells. Each chapter builds on the one before. */
final class LiveTest extends TestCase
{
    private const REFERENCE = 'طلب ١٠٤٢ 🙂';
    private static Client $client;
    private static Sandbox $sandbox;
    private static WebhookEndpoint $endpoint;
    private static string $to;
    private static string $id;

    public static function setUpBeforeClass(): void
    {
        if (getenv('RAMZ_SANDBOX_URL') === false) {
            self::markTestSkipped('no service is running: RAMZ_SANDBOX_URL is not set (test/sdks/run.ts php sets it)');
        }
        self::$client = new Client();
        self::$sandbox = new Sandbox();
        self::$to = self::$sandbox->newNumber();
    }

    public function testTheAccountAndAnEndpoint(): void
    {
        self::assertStringStartsWith('acct_', self::$client->accounts->get()->id);
        self::$endpoint = self::$client->webhookEndpoints->create(
            url: getenv('RAMZ_WEBHOOK_SINK') . '/php',
            description: self::REFERENCE,
        );
        self::assertStringStartsWith('whsec_', self::$endpoint->secret);
        self::assertSame(self::REFERENCE, self::$client->webhookEndpoints->get(self::$endpoint->id)->description);
    }

    /** @depends testTheAccountAndAnEndpoint */
    public function testACodeIsSentAndChecked(): void
    {
        $sent = self::$client->verify->send(to: self::$to, clientReference: self::REFERENCE);
        self::$id = $sent->id;
        self::assertSame(['pending', self::$to, 'sms', false], [$sent->status, $sent->to, $sent->channel, $sent->test]);
        self::assertGreaterThan(new \DateTimeImmutable(), $sent->expiresAt);
        $code = self::$sandbox->code(self::$to);

        $wrong = self::$client->verify->check(code: $code === '000000' ? '111111' : '000000', id: self::$id);
        self::assertSame([false, 'incorrect_code', 4], [$wrong->valid, $wrong->reason, $wrong->attemptsRemaining]);
        $right = self::$client->verify->check(code: $code, to: self::$to);
        self::assertSame([true, '', 'verified'], [$right->valid, $right->reason, $right->status]);
        self::assertInstanceOf(\DateTimeImmutable::class, $right->verifiedAt);
    }

    /** @depends testACodeIsSentAndChecked */
    public function testTheWholeStoryIsTold(): void
    {
        $hasCost = static fn (): bool => self::$client->verify->get(self::$id)->messages[0]->cost !== null;
        self::$sandbox->wait($hasCost, 'the cost of the message');
        $session = self::$client->verify->get(self::$id);
        self::assertSame(['verified', self::REFERENCE], [$session->status, $session->clientReference]);
        self::assertContains('session_verified', array_map(static fn (object $one): string => $one->kind, $session->timeline));
        self::assertMatchesRegularExpression('/^\d+\.\d+$/', (string) $session->messages[0]->cost?->amount);
        self::assertEquals($session, Session::fromArray(json_decode((string) json_encode($session), true)));
    }

    /** @depends testTheWholeStoryIsTold */
    public function testAListGoesOverAllPages(): void
    {
        $reference = 'php & ' . bin2hex(random_bytes(4));
        $ids = [];
        foreach ([1, 2] as $_) {
            $ids[] = self::$client->verify->send(to: self::$sandbox->newNumber(), clientReference: $reference)->id;
        }
        $listed = self::$client->verify->list(pageSize: 1, clientReference: $reference);
        $found = array_map(static fn (SessionSummary $one): string => $one->id, iterator_to_array($listed));
        self::assertSame(array_reverse($ids), $found);
        self::assertSame([], iterator_to_array(self::$client->verify->list(createdBefore: new \DateTimeImmutable('2020-01-01'))));
    }

    /** @depends testAListGoesOverAllPages */
    public function testAWatchEndsWithTheSession(): void
    {
        $id = self::$client->verify->send(to: self::$sandbox->newNumber())->id;
        $transport = new CountingTransport();
        $told = $entries = [];
        $last = null;
        foreach ((new Client(httpClient: $transport))->verify->watch($id) as $change) {
            $told[] = $change->session?->status;
            $last = $change->session;
            array_push($entries, ...$change->newEntries);
            if (count($told) === 1) {
                self::$client->verify->cancel($id);
            }
        }
        self::assertSame([1, 0], [$transport->streams, $transport->calls], 'it is one stream');
        self::assertSame('pending', $told[0]);
        self::assertSame('canceled', end($told));
        self::assertEquals($last?->timeline, $entries, 'every entry once');
    }

    /** @depends testAListGoesOverAllPages */
    public function testAWatchOfNothingSaysWhy(): void
    {
        $this->expectException(NotFoundError::class);
        iterator_to_array(self::$client->verify->watch('vrf_none'));
    }

    /** @depends testACodeIsSentAndChecked */
    public function testAWebhookIsGenuine(): void
    {
        [$headers, $body] = self::$sandbox->webhook(self::$id, 'php', 'session.verified');
        $event = Webhooks::verify($body, $headers, self::$endpoint->secret);
        self::assertSame('session.verified', $event->type);
        self::assertInstanceOf(SessionEvent::class, $event->data);
        self::assertSame([self::$id, self::REFERENCE], [$event->data->sessionId, $event->data->session?->clientReference]);
        $this->expectExceptionObject(new SignatureError(SignatureError::NO_MATCH));
        Webhooks::verify($body . ' ', $headers, self::$endpoint->secret);
    }

    /** @depends testTheAccountAndAnEndpoint */
    public function testErrorsSayWhatIsWrong(): void
    {
        try {
            self::$client->verify->get('vrf_none');
            self::fail('there is no such session');
        } catch (NotFoundError $error) {
            self::assertSame('session_not_found', $error->errorCode);
            self::assertStringStartsWith('req_', $error->requestId);
        }
        try {
            self::$client->verify->send(to: '12');
            self::fail('it is no number');
        } catch (InvalidRequestError $error) {
            self::assertSame(['invalid_phone_number', 'to'], [$error->errorCode, $error->field]);
        }
        $this->expectException(AuthenticationError::class);
        (new Client(apiKey: 'ramz_live_wrong'))->accounts->get();
    }

    /** @depends testTheAccountAndAnEndpoint */
    public function testTheSameIdempotencyKeyIsTheSameSession(): void
    {
        $to = self::$sandbox->newNumber();
        $key = bin2hex(random_bytes(8));
        $first = self::$client->verify->send(to: $to, idempotencyKey: $key);
        self::assertEquals($first, self::$client->verify->send(to: $to, idempotencyKey: $key));
    }

    /** @depends testTheAccountAndAnEndpoint */
    public function testKeysComeAndGo(): void
    {
        $made = self::$client->apiKeys->create(name: 'php', scopes: ['read'], expiresAt: new \DateTimeImmutable('+1 day'));
        self::assertSame($made->id, (new Client(apiKey: $made->key))->apiKeys->list()->firstPage()->items[0]->id);
        $ids = array_map(static fn (object $one): string => $one->id, iterator_to_array(self::$client->apiKeys->list()));
        self::assertContains($made->id, $ids);
        self::assertInstanceOf(\DateTimeImmutable::class, self::$client->apiKeys->revoke($made->id)->revokedAt);
    }

    /** @depends testTheAccountAndAnEndpoint */
    public function testATestKeyTakesZeros(): void
    {
        $client = new Client(apiKey: (string) getenv('RAMZ_TEST_KEY'));
        $sent = $client->verify->send(to: self::$sandbox->newNumber(), codeLength: 8);
        self::assertTrue($sent->test);
        self::assertTrue($client->verify->check(code: '00000000', id: $sent->id)->valid);
    }

    /** @depends testAWebhookIsGenuine */
    public function testTheEndpointGoes(): void
    {
        self::$client->webhookEndpoints->delete(self::$endpoint->id);
        $this->expectException(NotFoundError::class);
        self::$client->webhookEndpoints->get(self::$endpoint->id);
    }
}
