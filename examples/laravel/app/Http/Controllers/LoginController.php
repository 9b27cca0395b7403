<?php

declare(strict_types=1);

namespace App\Http\Controllers;

use Illuminate\Http\JsonResponse;
use Illuminate\Http\Request;
use Illuminate\Http\Response;
use Ramz\Error\ApiError;
use Ramz\Laravel\Facades\Ramz;

/** Login with a code. */
final class LoginController
{
    public function start(Request $request): JsonResponse
    {
        try {
            $session = Ramz::send((string) $request->input('phone'), purpose: 'login');
        } catch (ApiError $error) {
            return $this->refuse($error);
        }
        return response()->json(['channel' => $session->channel], 202);
    }

    public function check(Request $request): JsonResponse|Response
    {
        $phone = (string) $request->input('phone');
        try {
            $answer = Ramz::check((string) $request->input('code'), to: $phone, purpose: 'login');
        } catch (ApiError $error) {
            return $this->refuse($error);
        }
        if (!$answer->valid) {
            $left = $answer->attemptsRemaining;
            return response()->json(['reason' => $answer->reason, 'attempts_remaining' => $left], 401);
        }
        $request->session()->regenerate();
        $request->session()->put('phone', $phone); // Auth::login($user) in real life
        return response()->noContent();
    }

    public function me(Request $request): JsonResponse
    {
        $phone = $request->session()->get('phone');
        return $phone === null
            ? response()->json(['error' => 'not logged in'], 401)
            : response()->json(['phone' => $phone]);
    }

    private function refuse(ApiError $error): JsonResponse
    {
        $status = $error->status < 500 ? $error->status : 503;
        $headers = $error->retryAfter === null ? [] : ['Retry-After' => $error->retryAfter];
        return response()->json(['error' => $error->getMessage()], $status, $headers);
    }
}
