<?php

declare(strict_types=1);

namespace Ramz\Tests;

use PHPUnit\Framework\TestCase;
use Ramz\Client;
use Ramz\Error\ApiError;
use Ramz\Error\ConflictError;
use Ramz\Error\InvalidRequestError;
use Ramz\Error\NetworkError;
use Ramz\Error\NotFoundError;
use Ramz\Error\RateLimitError;
use Ramz\Error\ServerError;
use Ramz\Model\SessionSummary;
use Ramz\Model\WatchSessionResponse;
use Ramz\Testing\FakeClient;
use Ramz\Testing\SentCode;

/** The fake keeps the rules that callers notice. */
final class FakeClientTest extends TestCase
{
    private const TO = '+213550000001';

    private FakeClient $fake;

    protected function setUp(): void
    {
        $this->fake = new FakeClient();
        self::assertInstanceOf(Client::class, $this->fake);
    }

    public function testACodeIsSentAndChecked(): void
    {
        $sent = $this->fake->verify->send(to: '+213 550-000-001', purpose: 'login', clientReference: 'طلب 🙂');
        self::assertSame(['pending', self::TO, true], [$sent->status, $sent->to, $sent->test]);
        self::assertSame(600, $sent->expiresAt?->getTimestamp() - $sent->createdAt?->getTimestamp());

        $wrong = $this->fake->verify->check(code: '111111', id: $sent->id);
        self::assertSame([false, 'incorrect_code', 4], [$wrong->valid, $wrong->reason, $wrong->attemptsRemaining]);
        $right = $this->fake->verify->check(code: '٠٠٠ ۰۰۰', to: self::TO, purpose: 'login');
        self::assertSame([true, '', 'verified'], [$right->valid, $right->reason, $right->status]);
        self::assertEquals($this->fake->now(), $right->verifiedAt);
        $again = $this->fake->verify->check(code: '000000', id: $sent->id);
        self::assertSame([false, 'already_verified'], [$again->valid, $again->reason]);

        $session = $this->fake->verify->get($sent->id);
        self::assertSame('طلب 🙂', $session->clientReference);
        self::assertNotEmpty($session->timeline);
        self::assertSame('delivered', $session->messages[0]->status);
    }

    public function testFiveWrongCodesEndIt(): void
    {
        $id = $this->fake->verify->send(self::TO)->id;
        foreach ([4, 3, 2, 1, 0] as $left) {
            self::assertSame($left, $this->fake->verify->check(code: '111111', id: $id)->attemptsRemaining);
        }
        $late = $this->fake->verify->check(code: '000000', id: $id);
        self::assertSame([false, 'too_many_attempts', 'failed'], [$late->valid, $late->reason, $late->status]);
    }

    public function testTimePasses(): void
    {
        $first = $this->fake->verify->send(self::TO, ttlSeconds: 60);
        try {
            $this->fake->verify->send(self::TO);
            self::fail('too soon');
        } catch (RateLimitError $error) {
            self::assertSame(['resend_too_soon', 30, $first->id], [$error->errorCode, $error->retryAfter, $error->details['session_id']]);
        }
        $this->fake->advance(30);
        self::assertSame($first->id, $this->fake->verify->send(self::TO)->id);
        self::assertSame([1, 2], array_map(static fn (SentCode $one): int => $one->run, $this->fake->sent(self::TO)));

        $this->fake->advance(30);
        self::assertSame('expired', $this->fake->verify->check(code: '000000', id: $first->id)->reason);
        self::assertNotSame($first->id, $this->fake->verify->send(self::TO)->id);
    }

    public function testCanceledIsOver(): void
    {
        $id = $this->fake->verify->send(self::TO)->id;
        self::assertSame('canceled', $this->fake->verify->cancel($id)->status);
        self::assertSame('canceled', $this->fake->verify->cancel($id)->status);
        self::assertSame('canceled', $this->fake->verify->check(code: '000000', id: $id)->reason);
        $other = $this->fake->verify->send(self::TO)->id;
        $this->fake->verify->check(code: '000000', id: $other);
        $this->expectException(ConflictError::class);
        $this->fake->verify->cancel($other);
    }

    public function testListsAreInPagesAndFiltered(): void
    {
        foreach (['a', 'b', 'a'] as $index => $reference) {
            $this->fake->verify->send('+21355000000' . $index, clientReference: $reference);
        }
        $list = $this->fake->verify->list(pageSize: 1, clientReference: 'a');
        $numbers = static fn (iterable $all): array => array_map(static fn (SessionSummary $one): string => $one->to, [...$all]);
        self::assertSame(['+213550000002', '+213550000000'], $numbers($list));
        self::assertSame(['+213550000002', '+213550000000'], $numbers($list), 'a second time');
        self::assertCount(2, [...$list->pages()]);
        $page = $list->firstPage();
        self::assertSame(['+213550000002'], $numbers($page->items));
        $rest = $this->fake->verify->list(pageSize: 1, clientReference: 'a', pageToken: $page->nextPageToken);
        self::assertSame(['+213550000000'], $numbers($rest));
        self::assertSame([], $numbers($this->fake->verify->list(status: 'verified')));
    }

    public function testAWatchEndsWithTheSession(): void
    {
        $id = $this->fake->verify->send(self::TO)->id;
        $told = [];
        foreach ($this->fake->verify->watch($id) as $change) {
            self::assertInstanceOf(WatchSessionResponse::class, $change);
            $told[] = $change->session?->status;
            if (count($told) === 1) {
                $this->fake->verify->cancel($id);
            }
        }
        self::assertSame(['pending', 'canceled'], $told);
    }

    public function testARefusedNumber(): void
    {
        $this->fake->refuse(self::TO, 'unsupported_destination');
        $this->fake->verify->send('+213550000002');
        try {
            $this->fake->verify->send(self::TO);
            self::fail('it is refused');
        } catch (InvalidRequestError $error) {
            self::assertSame(['unsupported_destination', 'to', 400], [$error->errorCode, $error->field, $error->status]);
        }
        self::assertCount(1, $this->fake->sent());
    }

    public function testToldFailures(): void
    {
        $this->fake->failNext('overloaded');
        $this->fake->dropNext();
        $errors = [];
        for ($try = 0; $try < 2; $try++) {
            try {
                $this->fake->verify->send(self::TO);
            } catch (ApiError | NetworkError $error) {
                $errors[] = $error::class;
            }
        }
        self::assertSame([ServerError::class, NetworkError::class], $errors);
        self::assertSame('pending', $this->fake->verify->send(self::TO)->status);
        self::assertCount(3, $this->fake->calls());
    }

    public function testTheSameIdempotencyKeyIsTheSameSend(): void
    {
        $first = $this->fake->verify->send(self::TO, idempotencyKey: 'k');
        self::assertEquals($first, $this->fake->verify->send(self::TO, idempotencyKey: 'k'));
        self::assertCount(1, $this->fake->sent());
        $this->expectException(ConflictError::class);
        $this->fake->verify->send('+213550000002', idempotencyKey: 'k');
    }

    public function testBadInput(): void
    {
        $id = $this->fake->verify->send(self::TO)->id;
        $calls = [
            'invalid_phone_number' => fn () => $this->fake->verify->send('12'),
            'invalid_code' => fn () => $this->fake->verify->check(code: '12', id: $id),
            'session_not_found' => fn () => $this->fake->verify->get('vrf_none'),
            'unimplemented' => fn () => $this->fake->waba->get(),
        ];
        foreach ($calls as $code => $call) {
            try {
                $call();
                self::fail($code);
            } catch (ApiError $error) {
                self::assertSame($code, $error->errorCode);
            }
        }
        $this->expectException(NotFoundError::class);
        $this->fake->verify->check(code: '000000', to: '+213550000009');
    }

    public function testOtherOperationsAnswerWhatTheyAreTold(): void
    {
        $this->fake->answer('GET', '/v1/waba', ['waba_id' => '104200000000001', 'status' => 'connected']);
        self::assertSame('connected', $this->fake->waba->get()->status);
        self::assertSame('acct_fake', $this->fake->accounts->get()->id);
        // The client takes no answer without ids; a test need not say them.
        $this->fake->answer('GET', '/v1/webhook_endpoints/whe_7', ['url' => 'https://shop.example/hook']);
        self::assertSame('whe_7', $this->fake->webhookEndpoints->get('whe_7')->id);
        $this->fake->answer('GET', '/v1/account', ['name' => 'My Shop']);
        self::assertSame('fake', $this->fake->accounts->get()->id);
        $this->fake->answer('POST', '/v1/limits/stops/stop_1/lift', ['prefix' => '+21355']);
        self::assertSame('stop_1', $this->fake->limits->liftStop('stop_1')->id);
        $this->fake->answer('GET', '/v1/admin/accounts/acct_1', ['name' => 'My Shop']);
        self::assertSame('acct_1', $this->fake->admin->findAccount('acct_1')->id);
        $this->fake->answer('POST', '/v1/admin/api_keys/key%2F1/revoke', ['name' => 'backend']);
        self::assertSame('key/1', $this->fake->admin->revokeAccountKey('key/1')->id);
        $this->fake->answer('POST', '/v1/webhook_endpoints/whe_7/deliveries/evt_1/redeliver', ['status' => 'pending']);
        self::assertSame('evt_1', $this->fake->webhookEndpoints->redeliver('whe_7', 'evt_1')->eventId);
        // As with the service: an answer about something else is none.
        $this->fake->answer('GET', '/v1/webhook_endpoints/whe_7', ['id' => 'whe_8']);
        $this->expectException(ServerError::class);
        $this->fake->webhookEndpoints->get('whe_7');
    }
}
