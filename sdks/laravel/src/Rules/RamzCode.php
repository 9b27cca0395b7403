<?php

declare(strict_types=1);

namespace Ramz\Laravel\Rules;

use Illuminate\Contracts\Validation\Factory;
use Illuminate\Contracts\Validation\ImplicitRule;
use Illuminate\Validation\Validator;
use Ramz\Error\ApiError;
use Ramz\Error\InvalidRequestError;
use Ramz\Laravel\Facades\Ramz;
use Ramz\Value\CheckReason;
use Ramz\Value\ErrorCode;

/**
 * The code must be the right one. Checking it costs a try, and the right one can be used once only: put the rule last, after
 * `bail`, and its field last, with `stopOnFirstFailure`. Else Laravel asks the rule where another field is wrong, and the
 * code is used up by a form that is refused. A code that is left out is not right, also without `required`: Laravel asks
 * other rules only about a field that is there, and would let in whoever leaves it out.
 *
 *     'code' => ['bail', 'required', RamzCode::ofSession($request->session()->get('verification'))],
 *     'code' => 'bail|required|ramz_code:phone,login',   // the number is the field `phone`, the purpose `login`
 */
final class RamzCode implements ImplicitRule
{
    /** No code and no number comes near it. */
    private const MOST_BYTES = 1024;

    /** Of the last check: the name of the message, or null where the code was right. */
    private ?string $failure = null;

    /** @param array<string, string> $session */
    private function __construct(private readonly array $session)
    {
    }

    /** For the session of which `send` answered the id. */
    public static function ofSession(?string $id): self
    {
        return new self(['id' => (string) $id]);
    }

    /** For the session of a number and a purpose. */
    public static function ofNumber(?string $to, string $purpose = ''): self
    {
        return new self(['to' => (string) $to, 'purpose' => $purpose]);
    }

    /**
     * Laravel's question, once for each validation.
     *
     * @param string $attribute
     * @param mixed $value
     *
     * @throws ApiError What is no mistake of the user.
     */
    public function passes($attribute, $value): bool
    {
        $this->failure = self::failure($value, $this->session);
        return $this->failure === null;
    }

    public function message(): string
    {
        return self::text($this->failure ?? CheckReason::INCORRECT_CODE);
    }

    /**
     * Makes `ramz_code:<field>,<purpose>` known: the field holds the number, whatever it looks like. Its sender chose it, so
     * it never names a session: one of another number or purpose would let that sender in.
     */
    public static function register(Factory $validators): void
    {
        $validators->extendImplicit('ramz_code', static function (
            string $attribute,
            mixed $value,
            array $parameters,
            Validator $validator,
        ): bool {
            $validator->requireParameterCount(1, $parameters, 'ramz_code');
            $target = data_get($validator->getData(), $parameters[0]);
            $to = \is_string($target) && self::isSendable($target) ? $target : '';
            $key = self::failure($value, ['to' => $to, 'purpose' => $parameters[1] ?? ''], isTyped: true);
            if ($key !== null) {
                // Not setCustomMessages(): what the application says of this rule, here or in its texts, comes first.
                $validator->fallbackMessages["{$attribute}.ramz_code"] = self::text($key);
            }
            return $key === null;
        });
    }

    /**
     * Name of the message, or null where the code is right. Faults of the service, of what is before it and of the
     * application, and the limits of the account, are no mistake of the user: they are thrown.
     *
     * @param array<string, string> $session
     * @param bool $isTyped The number is a field of the form: one that is none is a mistake of the user.
     */
    private static function failure(mixed $value, array $session, bool $isTyped = false): ?string
    {
        if (($session['id'] ?? $session['to'] ?? '') === '') {
            return 'no_session';
        }
        if ((!\is_string($value) || \trim($value) === '' || !self::isSendable($value)) && !\is_int($value)) {
            return CheckReason::INCORRECT_CODE;
        }
        try {
            $answer = Ramz::verify()->check((string) $value, ...$session);
        } catch (ApiError $error) {
            // By the code of the error: a class says too little. The account's limit is a RateLimitError, too.
            return match (true) {
                $error->errorCode === ErrorCode::SESSION_NOT_FOUND => 'no_session',
                $error->errorCode === ErrorCode::NUMBER_LOCKED => CheckReason::TOO_MANY_ATTEMPTS,
                // The code is not digits of the right length: no try was spent. Anything else is the programmer's.
                $error instanceof InvalidRequestError && $error->field === 'code' => CheckReason::INCORRECT_CODE,
                $isTyped && $error instanceof InvalidRequestError && $error->field === 'to' => 'no_session',
                default => throw $error,
            };
        }
        return $answer->valid ? null : ($answer->reason !== '' ? $answer->reason : CheckReason::INCORRECT_CODE);
    }

    /** A form can bring any bytes, and any number of them: JSON takes nothing but UTF-8, and the service no body over 64 KiB. */
    private static function isSendable(string $value): bool
    {
        return \strlen($value) <= self::MOST_BYTES && \preg_match('//u', $value) === 1;
    }

    /** The application's own words where it has some (lang/vendor/ramz), and for reasons that are newer than this package. */
    private static function text(string $key): string
    {
        $text = trans("ramz::validation.{$key}");
        $isKnown = \is_string($text) && $text !== "ramz::validation.{$key}";
        return $isKnown ? $text : (string) trans('ramz::validation.incorrect_code');
    }
}
