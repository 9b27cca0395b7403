<?php

declare(strict_types=1);

namespace App\Http\Controllers;

use Illuminate\Http\JsonResponse;
use Illuminate\Http\Request;
use Illuminate\Http\Response;
use Ramz\Error\ApiError;
use Ramz\Error\ConfigurationError;
use Ramz\Error\RamzError;
use Ramz\Laravel\Facades\Ramz;
use Ramz\Value\ErrorCode;

/** Login with a code. */
final class LoginController
{
    /** Beside what is wrong with the number or the code, what a visitor can do something about. */
    private const THEIRS = [
        ErrorCode::SESSION_NOT_FOUND, ErrorCode::RESEND_TOO_SOON, ErrorCode::TOO_MANY_SENDS, ErrorCode::NUMBER_LOCKED,
        ErrorCode::NUMBER_RATE_LIMITED,
    ];

    public function start(Request $request): JsonResponse
    {
        try {
            $session = Ramz::send((string) $request->input('phone'), purpose: 'login');
        } catch (RamzError $error) {
            return $this->refuse($error);
        }
        return response()->json(['channel' => $session->channel], 202);
    }

    public function check(Request $request): JsonResponse|Response
    {
        $phone = (string) $request->input('phone');
        try {
            $answer = Ramz::check((string) $request->input('code'), to: $phone, purpose: 'login');
            $session = $answer->valid ? Ramz::verify()->get($answer->id) : null;
            // Without the scope `numbers` the number is masked, and strangers whose masked numbers are the same would share
            // a login.
            if ($session !== null && preg_match('/^\+\d+$/D', $session->to) !== 1) {
                throw new ConfigurationError('the API key needs the scope numbers');
            }
        } catch (RamzError $error) {
            return $this->refuse($error);
        }
        if ($session === null) {
            $left = $answer->attemptsRemaining;
            return response()->json(['reason' => $answer->reason, 'attempts_remaining' => $left], 401);
        }
        $request->session()->regenerate();
        // Auth::login($user) in real life. Of the session, where the number has one form, however it was typed.
        $request->session()->put('phone', $session->to);
        return response()->noContent();
    }

    public function me(Request $request): JsonResponse
    {
        $phone = $request->session()->get('phone');
        return $phone === null
            ? response()->json(['error' => 'not logged in'], 401)
            : response()->json(['phone' => $phone]);
    }

    private function refuse(RamzError $error): JsonResponse
    {
        if ($error instanceof ApiError && $this->isTheirs($error)) {
            $headers = $error->retryAfter === null ? [] : ['Retry-After' => $error->retryAfter];
            return response()->json(['error' => $error->getMessage()], $error->status, $headers);
        }
        // A key that is refused, a limit of the account, no answer: for whoever runs this, and none of the visitor's
        // business.
        $about = $error instanceof ApiError ? ['code' => $error->errorCode, 'request' => $error->requestId] : [];
        logger()->error("Ramz: {$error->getMessage()}", $about);
        return response()->json(['error' => 'try again later'], 503);
    }

    private function isTheirs(ApiError $error): bool
    {
        return in_array($error->field, ['to', 'code'], true) || in_array($error->errorCode, self::THEIRS, true);
    }
}
