<?php

declare(strict_types=1);

namespace Ramz\Testing;

use Ramz\Value\ErrorCode;
use Ramz\Value\SessionStatus;

/**
 * What one session of a {@see FakeClient} is made of, as the contract's JSON, and what it reads of requests.
 *
 * @internal
 */
final class FakeSession
{
    private const ATTEMPTS = 5;
    /** What the service passes over between digits. Brackets stay, since `+44 (0) 20` is read in two ways. */
    private const SEPARATORS = '/[\s\p{Pd}.\x{2212}\x{ad}\x{200b}-\x{200f}\x{61c}\x{202a}-\x{202e}\x{2060}'
        . '\x{2066}-\x{2069}\x{feff}]/u';
    private const NATIVE_DIGITS = [
        '٠' => '0', '١' => '1', '٢' => '2', '٣' => '3', '٤' => '4',
        '٥' => '5', '٦' => '6', '٧' => '7', '٨' => '8', '٩' => '9',
        '۰' => '0', '۱' => '1', '۲' => '2', '۳' => '3', '۴' => '4',
        '۵' => '5', '۶' => '6', '۷' => '7', '۸' => '8', '۹' => '9',
    ];

    /**
     * @param array<string, mixed> $fields Of the request.
     *
     * @return array<string, mixed>
     */
    public static function open(string $id, string $to, array $fields, FakeClock $clock): array
    {
        $channel = $fields['channel'] ?? $fields['cascade'][0]['channel'] ?? 'sms';
        return [
            'id' => $id,
            'status' => SessionStatus::PENDING,
            'status_reason' => '',
            'delivery' => 'delivered',
            'to' => $to,
            'channel' => $channel,
            'purpose' => $fields['purpose'] ?? '',
            'language' => $fields['language'] ?? 'ar',
            'code_length' => \strlen(self::codeFor($fields)),
            'sender_id' => $fields['sender_id'] ?? '',
            'client_reference' => $fields['client_reference'] ?? '',
            'metadata' => $fields['metadata'] ?? [],
            'created_at' => $clock->text(),
            'expires_at' => $clock->text($fields['ttl_seconds'] ?? 600),
            'first_send_at' => $clock->text(),
            'run' => 1,
            'sends' => 1,
            'attempts_remaining' => self::ATTEMPTS,
            'cascade' => $fields['cascade'] ?? [['channel' => $channel, 'timeout_seconds' => 15]],
            'messages' => [],
            'timeline' => [],
            'total_cost' => [],
            'test' => true,
        ];
    }

    /**
     * @param array<string, mixed> $session
     *
     * @return array<string, mixed>
     */
    public static function message(array $session, FakeClock $clock): array
    {
        return [
            'id' => "msg_{$session['id']}_{$session['run']}",
            'run' => $session['run'],
            'position' => 0,
            'channel' => $session['channel'],
            'status' => 'delivered',
            'created_at' => $clock->text(),
            'submitted_at' => $clock->text(),
            'final_at' => $clock->text(),
        ];
    }

    /**
     * The code of a new session: the caller's own, or zeros.
     *
     * @param array<string, mixed> $fields Of the request.
     */
    public static function codeFor(array $fields): string
    {
        return ($fields['code'] ?? '') !== '' ? $fields['code'] : \str_repeat('0', $fields['code_length'] ?? 6);
    }

    /**
     * The code that was typed, in plain digits.
     *
     * @param array<string, mixed> $session
     * @param array<string, mixed> $fields Of the request.
     */
    public static function typed(array $session, array $fields): string
    {
        $plain = \strtr((string) ($fields['code'] ?? ''), self::NATIVE_DIGITS);
        $code = (string) \preg_replace('/[\s-]/u', '', $plain);
        if (\preg_match("/^\\d{{$session['code_length']}}$/D", $code) !== 1) {
            throw new FakeFailure(ErrorCode::INVALID_CODE, 'not a code of this length', ['field' => 'code']);
        }
        return $code;
    }

    /**
     * The number as E.164.
     *
     * @param array<string, mixed> $fields Of the request.
     */
    public static function number(array $fields): string
    {
        $to = (string) \preg_replace(self::SEPARATORS, '', (string) ($fields['to'] ?? ''));
        if (\preg_match('/^\+[1-9]\d{6,14}$/D', $to) !== 1) {
            $details = ['field' => 'to', 'reason' => 'invalid'];
            throw new FakeFailure(ErrorCode::INVALID_PHONE_NUMBER, 'not a phone number', $details);
        }
        return $to;
    }
}
