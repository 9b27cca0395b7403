<?php

declare(strict_types=1);

namespace Ramz\Laravel\Tests;

use Illuminate\Support\Facades\Validator;
use PHPUnit\Framework\Attributes\DataProvider;
use Ramz\Error\ApiError;
use Ramz\Error\AuthenticationError;
use Ramz\Error\InvalidRequestError;
use Ramz\Error\NotFoundError;
use Ramz\Error\RateLimitError;
use Ramz\Error\ServerError;
use Ramz\Laravel\Facades\Ramz;
use Ramz\Laravel\Rules\RamzCode;

final class RuleTest extends TestCase
{
    private const TO = '+213550123456';
    private const RIGHT = '000000';
    private const NONE = ['code' => ['There is no code to check. Ask for one first.']];

    public function testTheRightCodeOfASession(): void
    {
        Ramz::fake();
        $id = Ramz::send(self::TO)->id;
        self::assertSame([], $this->errors(self::RIGHT, RamzCode::ofSession($id)));
        self::assertSame(['The code was used already.'], $this->errors(self::RIGHT, RamzCode::ofSession($id)));
    }

    public function testTheRightCodeOfANumberAndAPurpose(): void
    {
        Ramz::fake();
        Ramz::send(self::TO, purpose: 'login');
        self::assertSame(self::NONE['code'], $this->errors(self::RIGHT, RamzCode::ofNumber(self::TO, 'payment')));
        self::assertSame([], $this->errors(self::RIGHT, RamzCode::ofNumber(self::TO, 'login')));
    }

    public function testAsTextTheFieldHoldsTheNumber(): void
    {
        Ramz::fake();
        Ramz::send(self::TO, purpose: 'login');
        $data = ['user' => ['phone' => self::TO]];
        $wrong = ['code' => ['The code is not right.']];
        self::assertSame($wrong, $this->check(['code' => '123456'] + $data, 'required|ramz_code:user.phone,login'));
        self::assertSame(self::NONE, $this->check(['code' => self::RIGHT] + $data, 'ramz_code:user.phone,payment'));
        self::assertSame([], $this->check(['code' => self::RIGHT] + $data, 'required|ramz_code:user.phone,login'));
        self::assertSame(self::NONE, $this->check(['code' => self::RIGHT], 'ramz_code:user.phone'));
    }

    /** Whoever posts the id of a session of their own, of any purpose, would be let in without a number. */
    public function testASessionsIdInPlaceOfTheNumberIsNoNumber(): void
    {
        Ramz::fake();
        $id = Ramz::send(self::TO, purpose: 'newsletter')->id;
        foreach (['ramz_code:phone,login', 'ramz_code:phone', 'ramz_code:phone,newsletter'] as $rule) {
            self::assertSame(self::NONE, $this->check(['phone' => $id, 'code' => self::RIGHT], $rule), $rule);
        }
        self::assertTrue(Ramz::check(self::RIGHT, id: $id)->valid, 'the code was used');
    }

    /** A form can hold anything: that is no fault of the application, which would answer 500. */
    public function testWhatIsNoNumberInTheFormIsAMistakeOfTheUser(): void
    {
        $fake = Ramz::fake();
        foreach (['0550123456', 'abc', "+213\xff", ['a'], 213550123456, null] as $phone) {
            $given = ['phone' => $phone, 'code' => self::RIGHT];
            self::assertSame(self::NONE, $this->check($given, 'ramz_code:phone,login'), \serialize($phone));
        }
        $wrong = ['code' => ['The code is not right.']];
        self::assertSame($wrong, $this->check(['phone' => self::TO, 'code' => "\xff"], 'ramz_code:phone,login'));
        // The service takes no body of this size, and says of no field that it is too long.
        $long = \str_repeat('0', 65_536);
        $tooLarge = ['error' => ['code' => 'request_too_large', 'message' => 'too large']];
        $fake->service()->answer('POST', '/v1/verify/check', $tooLarge, 413);
        self::assertSame($wrong, $this->check(['phone' => self::TO, 'code' => $long], 'ramz_code:phone,login'));
        self::assertSame($wrong, $this->check(['code' => $long], [RamzCode::ofSession('vrf_1')]));
        self::assertSame(self::NONE, $this->check(['phone' => $long, 'code' => self::RIGHT], 'ramz_code:phone'));
        // The purpose is the programmer's.
        $error = ['error' => ['code' => 'invalid_request', 'message' => 'too long', 'field' => 'purpose']];
        $fake->service()->answer('POST', '/v1/verify/check', $error, 400);
        $this->expectException(InvalidRequestError::class);
        $this->check(['phone' => self::TO, 'code' => self::RIGHT], 'ramz_code:phone,login');
    }

    public function testWhatIsNoCodeCostsNoTry(): void
    {
        Ramz::fake();
        $id = Ramz::send(self::TO)->id;
        self::assertSame(['The code is not right.'], $this->errors('12', RamzCode::ofSession($id)));
        self::assertSame(['The code is not right.'], $this->errors(['a'], RamzCode::ofSession($id)));
        self::assertSame(4, Ramz::check('999999', id: $id)->attemptsRemaining);
    }

    /** Laravel asks most rules only about a field that is there: whoever leaves it out would be let in. */
    public function testACodeThatIsLeftOutIsNotRight(): void
    {
        Ramz::fake();
        $id = Ramz::send(self::TO)->id;
        $phone = ['phone' => self::TO];
        foreach ([[], ['code' => null], ['code' => ''], ['code' => ' ']] as $given) {
            foreach ([[RamzCode::ofSession($id)], 'ramz_code:phone', 'nullable|ramz_code:phone'] as $rules) {
                $errors = $this->check($given + $phone, $rules);
                self::assertSame(['code' => ['The code is not right.']], $errors, \json_encode([$given, $rules]));
            }
            $required = $this->check($given + $phone, 'required|ramz_code:phone');
            self::assertCount(1, $required['code'] ?? [], 'two messages about one field');
        }
        self::assertSame([], $this->check($phone, 'sometimes|ramz_code:phone'));
        self::assertSame(4, Ramz::check('999999', id: $id)->attemptsRemaining);
    }

    /** Laravel asks every rule, whatever was wrong before: what the README says of it keeps the code. */
    public function testAFormThatStopsAtItsFirstFailureKeepsTheCode(): void
    {
        Ramz::fake();
        Ramz::send(self::TO);
        $data = ['name' => '', 'phone' => self::TO, 'code' => self::RIGHT];
        $rules = ['name' => 'required', 'code' => 'bail|required|ramz_code:phone'];
        self::assertTrue(Validator::make($data, $rules)->stopOnFirstFailure()->fails());
        self::assertTrue(Ramz::check(self::RIGHT, to: self::TO)->valid, 'the code was used');
    }

    public function testANumberThatIsNoneIsAMistakeOfTheProgrammer(): void
    {
        Ramz::fake();
        $this->expectException(InvalidRequestError::class);
        $this->errors(self::RIGHT, RamzCode::ofNumber('0550123456'));
    }

    public function testTriesRunOut(): void
    {
        Ramz::fake();
        $id = Ramz::send(self::TO)->id;
        for ($try = 1; $try <= 5; $try++) {
            self::assertNotSame([], $this->errors('999999', RamzCode::ofSession($id)));
        }
        $text = ['There were too many tries. Ask for a new code later.'];
        self::assertSame($text, $this->errors(self::RIGHT, RamzCode::ofSession($id)));
    }

    public function testSpeaksTheLanguageOfTheApplication(): void
    {
        Ramz::fake();
        $id = Ramz::send(self::TO)->id;
        $this->app->setLocale('fr');
        self::assertSame(['Le code n’est pas le bon.'], $this->errors('999999', RamzCode::ofSession($id)));
        $this->app->setLocale('ar');
        self::assertSame(['الرمز غير صحيح.'], $this->errors('999999', RamzCode::ofSession($id)));
    }

    public function testTheApplicationsOwnWordsWin(): void
    {
        Ramz::fake();
        Ramz::send(self::TO);
        $data = ['phone' => self::TO, 'code' => '999999'];
        $first = static fn (array $messages): string => Validator::make($data, ['code' => 'ramz_code:phone'], $messages)
            ->errors()->first('code');
        self::assertSame('Look again.', $first(['code.ramz_code' => 'Look again.']));
        self::assertSame('Look again.', $first(['ramz_code' => 'Look again.']));
        self::assertSame('The code is not right.', $first(['phone.ramz_code' => 'Another field.']));
        $this->app->make('translator')->addLines(['validation.custom.code.ramz_code' => 'As translated.'], 'en');
        self::assertSame('As translated.', $first([]));
    }

    public function testAFaultOfTheServiceIsNoMistakeOfTheUser(): void
    {
        $fake = Ramz::fake();
        $id = Ramz::send(self::TO)->id;
        $fake->service()->failNext('internal');
        $this->expectException(ServerError::class);
        $this->errors(self::RIGHT, RamzCode::ofSession($id));
    }

    /** @return list<array{string, class-string<ApiError>}> */
    public static function faults(): array
    {
        return [
            ['internal', ServerError::class],
            ['rate_limited', RateLimitError::class],
            ['number_rate_limited', RateLimitError::class],
            ['not_found', NotFoundError::class],
            ['invalid_api_key', AuthenticationError::class],
        ];
    }

    /**
     * @dataProvider faults
     *
     * @param class-string<ApiError> $class
     */
    #[DataProvider('faults')]
    public function testWhatIsNotTheUsersMistakeIsThrown(string $code, string $class): void
    {
        $fake = Ramz::fake();
        $id = Ramz::send(self::TO)->id;
        $fake->service()->failNext($code);
        $this->expectException($class);
        $this->errors(self::RIGHT, RamzCode::ofSession($id));
    }

    public function testALockedNumberIsTheUsersMistake(): void
    {
        $fake = Ramz::fake();
        $id = Ramz::send(self::TO)->id;
        $fake->service()->failNext('number_locked');
        $text = ['There were too many tries. Ask for a new code later.'];
        self::assertSame($text, $this->errors(self::RIGHT, RamzCode::ofSession($id)));
    }

    /** @return list<array{int}> */
    public static function statuses(): array
    {
        return [[200], [400], [401], [403], [404], [409], [422], [429], [502]];
    }

    /** @dataProvider statuses */
    #[DataProvider('statuses')]
    public function testAProxysPageIsNoMistakeOfTheUser(int $status): void
    {
        $fake = Ramz::fake();
        $id = Ramz::send(self::TO)->id;
        $fake->service()->answer('POST', '/v1/verify/check', ['id' => [], 'message' => 'no upstream'], $status);
        $this->expectException(ServerError::class);
        $this->expectExceptionMessage("not an answer of Ramz: HTTP {$status}");
        $this->errors(self::RIGHT, RamzCode::ofSession($id));
    }

    /** @return list<string> */
    private function errors(mixed $code, RamzCode $rule): array
    {
        return $this->check(['code' => $code], ['bail', 'required', $rule])['code'] ?? [];
    }

    /**
     * @param array<string, mixed> $data
     *
     * @return array<string, list<string>>
     */
    private function check(array $data, mixed $rules): array
    {
        return Validator::make($data, ['code' => $rules])->errors()->toArray();
    }
}
