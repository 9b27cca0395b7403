<?php

declare(strict_types=1);

namespace Ramz\Tests;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;
use Ramz\Error\ConfigurationError;
use Ramz\Error\SignatureError;
use Ramz\Model\Receipt;
use Ramz\Model\SessionEvent;
use Ramz\Model\SessionSummary;
use Ramz\Testing\SignedWebhook;
use Ramz\Value\EventType;
use Ramz\Webhooks;

/** Webhooks beyond the vectors: typed data, kinds of headers, secrets that are none. */
final class WebhooksTest extends TestCase
{
    private const SECRET = 'whsec_YW4gZXhhbXBsZSBzZWNyZXQgb2YgMzIgYnl0ZXMhISE=';

    public function testDataIsTypedByTheType(): void
    {
        $session = new SessionSummary(id: 'vrf_1', status: 'verified', clientReference: 'طلب 🙂');
        $data = new SessionEvent(sessionId: 'vrf_1', session: $session);
        $webhook = SignedWebhook::make('session.verified', $data, self::SECRET);
        $event = Webhooks::verify($webhook->body, $webhook->headers, self::SECRET);
        self::assertEquals($data, $event->data);
        self::assertSame([$webhook->headers['webhook-id'], 'v1', true], [$event->id, $event->apiVersion, $event->test]);
    }

    public function testEveryKnownTypeHasAModel(): void
    {
        foreach (EventType::KNOWN as $type) {
            $webhook = SignedWebhook::make($type, [], self::SECRET);
            self::assertIsObject(Webhooks::verify($webhook->body, $webhook->headers, self::SECRET)->data, $type);
        }
    }

    public function testAnUnknownTypeKeepsItsData(): void
    {
        $webhook = SignedWebhook::make('moon.rose', ['phase' => 'full', 'deep' => [1, 2]], self::SECRET);
        $event = Webhooks::verify($webhook->body, $webhook->headers, self::SECRET);
        self::assertSame('moon.rose', $event->type);
        self::assertSame(['phase' => 'full', 'deep' => [1, 2]], $event->data);
        self::assertSame(['phase' => 'full', 'deep' => [1, 2]], $event->toArray()['data']);
    }

    public function testUnknownMembersArePassedOver(): void
    {
        $webhook = SignedWebhook::make('receipt.updated', ['status' => 'TELEPORTED', 'wings' => 2], self::SECRET);
        $data = Webhooks::verify($webhook->body, $webhook->headers, self::SECRET)->data;
        self::assertInstanceOf(Receipt::class, $data);
        self::assertSame('TELEPORTED', $data->status);
    }

    /** @return array<string, array{\Closure(array<string, string>): array<mixed>}> */
    public static function kindsOfHeaders(): array
    {
        return [
            'getallheaders()' => [static fn (array $h): array => array_combine(array_map(ucwords(...), array_keys($h)), $h)],
            'lists' => [static fn (array $h): array => array_map(static fn (string $one): array => [$one], $h)],
            '$_SERVER' => [static fn (array $h): array => ['argc' => 1, 'argv' => []] + array_combine(
                array_map(static fn (string $one): string => 'HTTP_' . strtoupper(strtr($one, '-', '_')), array_keys($h)),
                $h,
            )],
        ];
    }

    /** @dataProvider kindsOfHeaders */
    #[DataProvider('kindsOfHeaders')]
    public function testHeadersAreTakenAsFrameworksGiveThem(\Closure $kind): void
    {
        $webhook = SignedWebhook::make('session.verified', [], self::SECRET);
        self::assertSame('session.verified', Webhooks::verify($webhook->body, $kind($webhook->headers), self::SECRET)->type);
    }

    public function testAHeaderTwiceIsNone(): void
    {
        $webhook = SignedWebhook::make('session.verified', [], self::SECRET);
        foreach ($webhook->headers as $name => $value) {
            foreach ([[$name => [$value, $value]], [strtoupper($name) => $value]] as $more) {
                try {
                    Webhooks::verify($webhook->body, $more + $webhook->headers, self::SECRET);
                    self::fail($name);
                } catch (SignatureError $error) {
                    $reason = $name === 'webhook-signature' ? SignatureError::NO_MATCH : SignatureError::MALFORMED;
                    self::assertSame($reason, $error->reason);
                }
            }
        }
    }

    public function testASignedBodyThatIsNoEventIsMalformed(): void
    {
        foreach (['', 'null', '"text"', '{'] as $body) {
            try {
                Webhooks::verify($body, Webhooks::sign($body, self::SECRET), self::SECRET);
                self::fail('it is refused');
            } catch (SignatureError $error) {
                self::assertSame(SignatureError::MALFORMED, $error->reason);
            }
        }
    }

    /** @return array<string, array{string|list<string>}> */
    public static function noSecrets(): array
    {
        return [
            'none' => [[]],
            'empty' => [''],
            'one of them' => [[self::SECRET, '']],
            'no prefix' => [substr(self::SECRET, strlen('whsec_'))],
            'not base64' => ['whsec_****'],
            'too long' => ['whsec_' . base64_encode(str_repeat('a', 65))],
            'too short' => ['whsec_YWJj'],
            'prefix alone' => ['whsec_'],
        ];
    }

    /**
     * @dataProvider noSecrets
     *
     * @param string|list<string> $secrets
     */
    #[DataProvider('noSecrets')]
    public function testWithoutASecretNothingIsLetIn(string|array $secrets): void
    {
        $webhook = SignedWebhook::make('session.verified', [], self::SECRET);
        $this->expectException(ConfigurationError::class);
        Webhooks::verify($webhook->body, $webhook->headers, $secrets);
    }

    public function testToleranceIsTheCallers(): void
    {
        $webhook = SignedWebhook::make('session.verified', [], self::SECRET, timestamp: 1000);
        self::assertSame('session.verified', Webhooks::verify($webhook->body, $webhook->headers, self::SECRET, 10, 1010)->type);
        $this->expectExceptionObject(new SignatureError(SignatureError::TOO_OLD));
        Webhooks::verify($webhook->body, $webhook->headers, self::SECRET, 10, 1011);
    }

    /** @return list<array{mixed}> */
    public static function noTolerances(): array
    {
        return [[NAN], [INF], [-INF], [-1], [-0.5], ['300'], [''], [null], [true], [[]], [new \stdClass()]];
    }

    /** @dataProvider noTolerances */
    #[DataProvider('noTolerances')]
    public function testAToleranceThatIsNoneLetsNothingIn(mixed $tolerance): void
    {
        // Of 1970, so that only a comparison which is always false could take it.
        foreach ([0, null] as $timestamp) {
            $webhook = SignedWebhook::make('session.verified', [], self::SECRET, timestamp: $timestamp);
            try {
                Webhooks::verify($webhook->body, $webhook->headers, self::SECRET, $tolerance);
                self::fail('it was let in');
            } catch (ConfigurationError $error) {
                self::assertStringContainsString('tolerance', $error->getMessage());
            }
        }
    }

    public function testAToleranceMayBeNothingOrAFractionOrAsLongAsItGets(): void
    {
        $webhook = SignedWebhook::make('session.verified', [], self::SECRET, timestamp: 1000);
        foreach ([[0, 1000], [0.5, 1000], [PHP_INT_MAX, 2000], [1e300, 2000]] as [$tolerance, $now]) {
            $event = Webhooks::verify($webhook->body, $webhook->headers, self::SECRET, $tolerance, $now);
            self::assertSame('session.verified', $event->type);
        }
    }

    public function testWhatIsSignedAndOfOtherTypesIsMalformed(): void
    {
        foreach (['{"id":5}', '{"id":"evt_1","type":"session.verified","data":{"session":{"run":"one"}}}'] as $body) {
            try {
                Webhooks::verify($body, Webhooks::sign($body, self::SECRET), self::SECRET);
                self::fail('it was let in');
            } catch (SignatureError $error) {
                self::assertSame(SignatureError::MALFORMED, $error->reason);
            }
        }
    }
}
