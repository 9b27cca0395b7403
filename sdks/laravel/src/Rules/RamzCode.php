<?php

declare(strict_types=1);

namespace Ramz\Laravel\Rules;

use Closure;
use Illuminate\Contracts\Validation\Factory;
use Illuminate\Validation\Validator;
use Ramz\Error\ApiError;
use Ramz\Error\InvalidRequestError;
use Ramz\Laravel\Facades\Ramz;
use Ramz\Value\CheckReason;
use Ramz\Value\ErrorCode;

/**
 * The code must be the right one. Checking it costs a try, and the right one can be used once only: put the rule last, after
 * `bail`.
 *
 *     'code' => ['bail', 'required', RamzCode::ofSession($request->session()->get('verification'))],
 *     'code' => 'bail|required|ramz_code:phone,login',   // the number is the field `phone`, the purpose `login`
 */
final class RamzCode
{
    /** For the session of which `send` answered the id. */
    public static function ofSession(?string $id): Closure
    {
        return self::rule(['id' => (string) $id]);
    }

    /** For the session of a number and a purpose. */
    public static function ofNumber(?string $to, string $purpose = ''): Closure
    {
        return self::rule(['to' => (string) $to, 'purpose' => $purpose]);
    }

    /** Makes `ramz_code:<field>,<purpose>` known: the field holds the number or the session's id. */
    public static function register(Factory $validators): void
    {
        $validators->extend('ramz_code', static function (
            string $attribute,
            mixed $value,
            array $parameters,
            Validator $validator,
        ): bool {
            $validator->requireParameterCount(1, $parameters, 'ramz_code');
            $target = data_get($validator->getData(), $parameters[0]);
            $target = \is_string($target) ? $target : '';
            $isSession = \str_starts_with($target, 'vrf_');
            $key = self::failure($value, $isSession ? ['id' => $target] : [
                'to' => $target,
                'purpose' => $parameters[1] ?? '',
            ]);
            if ($key !== null) {
                // Not setCustomMessages(): what the application says of this rule, here or in its texts, comes first.
                $validator->fallbackMessages["{$attribute}.ramz_code"] = self::text($key);
            }
            return $key === null;
        });
    }

    /** @param array<string, string> $session */
    private static function rule(array $session): Closure
    {
        return static function (string $attribute, mixed $value, Closure $fail) use ($session): void {
            $key = self::failure($value, $session);
            if ($key !== null) {
                $fail(self::text($key));
            }
        };
    }

    /**
     * Name of the message, or null where the code is right. Faults of the service, of what is before it and of the
     * application, and the limits of the account, are no mistake of the user: they are thrown.
     *
     * @param array<string, string> $session
     */
    private static function failure(mixed $value, array $session): ?string
    {
        if (($session['id'] ?? $session['to'] ?? '') === '') {
            return 'no_session';
        }
        if (!\is_string($value) && !\is_int($value)) {
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
                default => throw $error,
            };
        }
        return $answer->valid ? null : ($answer->reason !== '' ? $answer->reason : CheckReason::INCORRECT_CODE);
    }

    /** The application's own words where it has some (lang/vendor/ramz), and for reasons that are newer than this package. */
    private static function text(string $key): string
    {
        $text = trans("ramz::validation.{$key}");
        $isKnown = \is_string($text) && $text !== "ramz::validation.{$key}";
        return $isKnown ? $text : (string) trans('ramz::validation.incorrect_code');
    }
}
