<?php

declare(strict_types=1);

namespace Ramz\Laravel\Tests;

use Illuminate\Notifications\Events\NotificationSent;
use Illuminate\Notifications\SendQueuedNotifications;
use Illuminate\Support\Facades\Event;
use Illuminate\Support\Facades\Notification;
use Ramz\Laravel\Facades\Ramz;
use Ramz\Laravel\Notifications\RamzMessage;
use Ramz\Laravel\Tests\Fixtures\LoginCode;
use Ramz\Laravel\Tests\Fixtures\User;
use Ramz\Model\SendResponse;
use Ramz\Testing\SentCode;

final class NotificationTest extends TestCase
{
    private const TO = '+213550123456';

    public function testSendsToTheNumberOfTheNotifiable(): void
    {
        $fake = Ramz::fake();
        $answers = [];
        Event::listen(NotificationSent::class, static function (NotificationSent $event) use (&$answers): void {
            $answers[] = $event->response;
        });

        (new User(self::TO))->notify(new LoginCode());

        $fake->assertSent(self::TO, static fn (SentCode $code): bool => $code->purpose === 'login');
        self::assertInstanceOf(SendResponse::class, $answers[0] ?? null);
        self::assertStringStartsWith('vrf_', $answers[0]->id);
    }

    public function testTheMessageSaysHow(): void
    {
        $fake = Ramz::fake();
        $message = RamzMessage::for('payment')->to('+213550000009')->language('ar')->channel('voice')
            ->reference('order-1042')->with(codeLength: 8);

        (new User(null))->notify(new LoginCode($message));

        $fake->assertSent('+213550000009', static fn (SentCode $code): bool => $code->purpose === 'payment'
            && $code->language === 'ar' && $code->channel === 'voice' && $code->clientReference === 'order-1042'
            && \strlen($code->code) === 8);
    }

    public function testOneThatIsTriedAgainByTheQueueSendsOneCode(): void
    {
        $fake = Ramz::fake();
        $notification = new LoginCode();
        $notification->id = '0b5ac7a2-1f3c-4c5e-9c7b-1d2e3f4a5b6c';
        $job = \serialize(new SendQueuedNotifications(\collect([new User(self::TO)]), $notification, ['ramz']));

        for ($attempt = 1; $attempt <= 2; $attempt++) {
            \unserialize($job)->handle($this->app->make(\Illuminate\Notifications\ChannelManager::class));
        }

        $fake->assertSentCount(1);
    }

    public function testAnyNumberOnDemand(): void
    {
        $fake = Ramz::fake();
        Notification::route('ramz', self::TO)->notify(new LoginCode());
        $fake->assertSent(self::TO);
    }

    public function testSaysThatThereIsNoNumber(): void
    {
        Ramz::fake();
        $this->expectException(\InvalidArgumentException::class);
        $this->expectExceptionMessage('routeNotificationForRamz');
        (new User(null))->notify(new LoginCode());
    }
}
