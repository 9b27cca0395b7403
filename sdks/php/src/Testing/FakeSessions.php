<?php

declare(strict_types=1);

namespace Ramz\Testing;

use Ramz\Value\CheckReason;
use Ramz\Value\ErrorCode;
use Ramz\Value\SessionStatus;

/**
 * The sessions of a {@see FakeClient}, as the contract's JSON.
 *
 * @internal
 */
final class FakeSessions
{
    private const RESEND_SECONDS = 30;
    private const MOST_SENDS = 5;

    /** @var list<SentCode> */
    public array $sent = [];
    /** @var array<string, array<string, mixed>> By id, oldest first. */
    private array $sessions = [];
    /** @var array<string, string> By the session's id. */
    private array $codes = [];
    /** @var array<string, string> By the session's id: those that the caller has brought, else empty. */
    private array $ownCodes = [];

    public function __construct(private readonly FakeClock $clock)
    {
    }

    /**
     * @param array<string, mixed> $fields
     *
     * @return array<string, mixed>
     */
    public function send(string $to, array $fields): array
    {
        $pending = $this->find($to, $fields['purpose'] ?? '', SessionStatus::PENDING);
        $code = $fields['code'] ?? '';
        if ($pending !== null && $code !== '' && $code !== $this->ownCodes[$pending['id']]) {
            $this->supersede($pending);
            $pending = null;
        }
        $id = $pending === null ? $this->open($to, $fields) : $this->resend($pending);
        $session = &$this->sessions[$id];
        $session['resend_after'] = $this->clock->text(self::RESEND_SECONDS);
        $session['messages'][] = FakeSession::message($session, $this->clock);
        $this->note($session, 'leg_started');
        $this->note($session, 'delivery_delivered');
        $this->sent[] = new SentCode(
            $id,
            $to,
            $this->codes[$id],
            $session['channel'],
            $session['purpose'],
            $session['language'],
            $session['client_reference'],
            $session['run'],
            $this->clock->time(),
        );
        return $session;
    }

    /**
     * @param array<string, mixed> $fields
     *
     * @return array<string, mixed>
     */
    public function check(array $fields): array
    {
        $id = $fields['id'] ?? $this->find(FakeSession::number($fields), $fields['purpose'] ?? '')['id'] ?? '';
        $session = &$this->existing($id);
        $isRight = FakeSession::typed($session, $fields) === $this->codes[$id];
        $reason = match ($session['status']) {
            SessionStatus::PENDING => $this->attempt($session, $isRight),
            SessionStatus::VERIFIED => CheckReason::ALREADY_VERIFIED,
            SessionStatus::EXPIRED => CheckReason::EXPIRED,
            SessionStatus::CANCELED => CheckReason::CANCELED,
            default => CheckReason::TOO_MANY_ATTEMPTS,
        };
        $answer = ['valid' => $reason === '', 'reason' => $reason];
        $shared = \array_flip(['id', 'status', 'attempts_remaining', 'verified_at', 'test']);
        return $answer + \array_intersect_key($session, $shared);
    }

    /** @return array<string, mixed> */
    public function get(string $id): array
    {
        return $this->existing($id);
    }

    /** @return array<string, mixed> */
    public function cancel(string $id): array
    {
        $session = &$this->existing($id);
        if ($session['status'] === SessionStatus::PENDING) {
            $session['status_reason'] = 'canceled_by_client';
            $this->end($session, SessionStatus::CANCELED);
        } elseif ($session['status'] !== SessionStatus::CANCELED) {
            throw new FakeFailure(ErrorCode::SESSION_NOT_PENDING, 'the session is over', ['status' => $session['status']]);
        }
        return $session;
    }

    /**
     * Ends a pending session in the way the client says. Once more is the same as once.
     *
     * @return array<string, mixed>
     */
    public function report(string $id, string $outcome): array
    {
        $session = &$this->existing($id);
        $isVerified = $outcome === 'verified';
        $isSo = $isVerified
            ? $session['status'] === SessionStatus::VERIFIED
            : $session['status_reason'] === 'reported_fraud';
        if ($session['status'] === SessionStatus::PENDING) {
            $session['status_reason'] = $isVerified ? '' : 'reported_fraud';
            if ($isVerified) {
                $session['verified_at'] = $this->clock->text();
            }
            $this->end($session, $isVerified ? SessionStatus::VERIFIED : SessionStatus::CANCELED);
        } elseif (!$isSo) {
            throw new FakeFailure(ErrorCode::SESSION_NOT_PENDING, 'the session is over', ['status' => $session['status']]);
        }
        return $session;
    }

    /**
     * @param array<string, mixed> $fields
     *
     * @return array<string, mixed>
     */
    public function list(array $fields): array
    {
        $filters = \array_intersect_key($fields, \array_flip(['to', 'status', 'delivery', 'purpose', 'client_reference']));
        if (isset($filters['to'])) {
            $filters['to'] = FakeSession::number($filters);
        }
        $found = [];
        foreach (\array_reverse(\array_keys($this->sessions)) as $id) {
            $session = $this->existing((string) $id);
            $isSame = \array_intersect_assoc($filters, \array_filter($session, \is_scalar(...))) == $filters;
            if ($isSame && self::isBetween($session['created_at'], $fields)) {
                $found[] = \array_diff_key($session, ['messages' => 1, 'timeline' => 1]);
            }
        }
        $from = (int) ($fields['page_token'] ?? 0);
        $next = $from + (int) ($fields['page_size'] ?? 20);
        return [
            'sessions' => \array_slice($found, $from, $next - $from),
            'next_page_token' => $next < \count($found) ? (string) $next : '',
        ];
    }

    /** @param array<string, mixed> $fields */
    private static function isBetween(string $time, array $fields): bool
    {
        $at = new \DateTimeImmutable($time);
        return (!isset($fields['created_after']) || $at >= new \DateTimeImmutable($fields['created_after']))
            && (!isset($fields['created_before']) || $at < new \DateTimeImmutable($fields['created_before']));
    }

    /** @param array<string, mixed> $fields */
    private function open(string $to, array $fields): string
    {
        $id = \sprintf('vrf_fake%06d', \count($this->sessions) + 1);
        $this->codes[$id] = FakeSession::codeFor($fields);
        $this->ownCodes[$id] = $fields['code'] ?? '';
        $this->sessions[$id] = FakeSession::open($id, $to, $fields, $this->clock);
        $this->note($this->sessions[$id], 'session_opened');
        return $id;
    }

    /** @param array<string, mixed> $pending */
    private function resend(array $pending): string
    {
        $id = $pending['id'];
        if ($pending['sends'] >= self::MOST_SENDS) {
            $now = $this->clock->time()->getTimestamp();
            $left = (new \DateTimeImmutable($pending['expires_at']))->getTimestamp() - $now;
            $about = ['session_id' => $id];
            throw new FakeFailure(ErrorCode::TOO_MANY_SENDS, 'as often as it may be', $about, $left);
        }
        $this->requireSpace($pending);
        $this->sessions[$id]['sends'] += 1;
        $this->sessions[$id]['run'] += 1;
        $this->note($this->sessions[$id], 'resend_requested');
        return $id;
    }

    /**
     * Another code of the caller's own opens a session in place of the pending one, no sooner than a resend.
     *
     * @param array<string, mixed> $pending
     */
    private function supersede(array $pending): void
    {
        $this->requireSpace($pending);
        $session = &$this->sessions[$pending['id']];
        $session['status_reason'] = 'superseded';
        $this->end($session, SessionStatus::CANCELED);
    }

    /** @param array<string, mixed> $pending */
    private function requireSpace(array $pending): void
    {
        $from = new \DateTimeImmutable($pending['resend_after']);
        $wait = $from->getTimestamp() - $this->clock->time()->getTimestamp();
        if ($wait > 0) {
            $details = ['session_id' => $pending['id'], 'resend_after' => $pending['resend_after']];
            throw new FakeFailure(ErrorCode::RESEND_TOO_SOON, 'too soon after the last send', $details, $wait);
        }
    }

    /**
     * @param array<string, mixed> $session
     *
     * @return string Why it was not right; else empty.
     */
    private function attempt(array &$session, bool $isRight): string
    {
        $session['attempts_remaining'] -= 1;
        $this->note($session, 'code_checked');
        if ($isRight) {
            $session['verified_at'] = $this->clock->text();
            $this->end($session, SessionStatus::VERIFIED);
            return '';
        }
        if ($session['attempts_remaining'] === 0) {
            $session['status_reason'] = 'too_many_attempts';
            $this->end($session, SessionStatus::FAILED);
        }
        return CheckReason::INCORRECT_CODE;
    }

    /**
     * The newest one.
     *
     * @return array<string, mixed>|null
     */
    private function find(string $to, string $purpose, ?string $status = null): ?array
    {
        foreach (\array_reverse(\array_keys($this->sessions)) as $id) {
            $session = $this->existing((string) $id);
            $isSame = $session['to'] === $to && $session['purpose'] === $purpose;
            if ($isSame && ($status === null || $session['status'] === $status)) {
                return $session;
            }
        }
        return null;
    }

    /**
     * As it stands by now.
     *
     * @return array<string, mixed>
     */
    private function &existing(string $id): array
    {
        if (!isset($this->sessions[$id])) {
            throw new FakeFailure(ErrorCode::SESSION_NOT_FOUND, 'no such session');
        }
        $session = &$this->sessions[$id];
        $isPast = new \DateTimeImmutable($session['expires_at']) <= $this->clock->time();
        if ($session['status'] === SessionStatus::PENDING && $isPast) {
            $this->end($session, SessionStatus::EXPIRED);
        }
        return $session;
    }

    /** @param array<string, mixed> $session */
    private function end(array &$session, string $status): void
    {
        $session['status'] = $status;
        unset($session['resend_after']);
        $this->note($session, "session_{$status}");
    }

    /** @param array<string, mixed> $session */
    private function note(array &$session, string $kind): void
    {
        $session['timeline'][] = ['at' => $this->clock->text(), 'kind' => $kind, 'run' => $session['run']];
    }
}
