<?php

declare(strict_types=1);

namespace Ramz\Laravel\Tests;

use PHPUnit\Framework\AssertionFailedError;
use PHPUnit\Framework\Attributes\DataProvider;
use Ramz\Client;
use Ramz\Laravel\Facades\Ramz;
use Ramz\Testing\SentCode;

final class FakeTest extends TestCase
{
    private const TO = '+213550123456';

    public function testSendsNothingAndAssertsWhatWasAskedFor(): void
    {
        $fake = Ramz::fake();
        $fake->assertNothingSent();

        $sent = Ramz::send(self::TO, purpose: 'login');

        $fake->assertSent(self::TO);
        $fake->assertSent(self::TO, static fn (SentCode $code): bool => $code->purpose === 'login');
        $fake->assertSentCount(1);
        $fake->assertNotSent('+213550000000');
        self::assertFalse(Ramz::check('999999', id: $sent->id)->valid);
        self::assertTrue(Ramz::check($fake->codeFor(self::TO), id: $sent->id)->valid);
    }

    public function testIsWhatIsInjectedToo(): void
    {
        $this->app->make(Client::class); // Asked for before, it must not be remembered.
        $fake = Ramz::fake();
        $this->app->make(Client::class)->verify->send(self::TO);
        $fake->assertSent(self::TO);
    }

    /** @dataProvider wrongs */
    #[DataProvider('wrongs')]
    public function testAssertionsFailWhereTheyMust(\Closure $assertion): void
    {
        $fake = Ramz::fake();
        Ramz::send(self::TO, purpose: 'login');
        $this->expectException(AssertionFailedError::class);
        $assertion($fake);
    }

    /** @return array<string, array{\Closure}> */
    public static function wrongs(): array
    {
        return [
            'sent to another' => [static fn ($fake) => $fake->assertSent('+213550000000')],
            'sent otherwise' => [static fn ($fake) => $fake->assertSent(self::TO, static fn () => false)],
            'not sent' => [static fn ($fake) => $fake->assertNotSent(self::TO)],
            'another count' => [static fn ($fake) => $fake->assertSentCount(2)],
            'nothing sent' => [static fn ($fake) => $fake->assertNothingSent()],
            'no code' => [static fn ($fake) => $fake->codeFor('+213550000000')],
        ];
    }
}
