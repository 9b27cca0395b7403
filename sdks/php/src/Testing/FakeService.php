<?php

declare(strict_types=1);

namespace Ramz\Testing;

use Ramz\Error\NetworkError;
use Ramz\Http\Request;
use Ramz\Http\Response;
use Ramz\Http\Transport;
use Ramz\Value\ErrorCode;

/**
 * The service of a {@see FakeClient}: takes requests as the real one does, so that all of the client is in the test.
 *
 * @internal
 */
final class FakeService implements Transport
{
    public readonly FakeClock $clock;
    public readonly FakeSessions $sessions;
    /** @var array<string, string> Number => error code. */
    public array $refusals = [];
    /** @var list<string|null> Error codes of the next calls; null: no answer. */
    public array $failures = [];
    /** @var array<string, array{int, array<string, mixed>}> */
    public array $answers = [];
    /** @var list<FakeCall> */
    public array $calls = [];
    /** @var array<string, array{string, Response}> Idempotency key => request and its answer. */
    private array $kept = [];

    public function __construct()
    {
        $now = new \DateTimeImmutable('now', new \DateTimeZone('UTC'));
        $this->clock = new FakeClock($now->setTime((int) $now->format('G'), (int) $now->format('i'), 0));
        $this->sessions = new FakeSessions($this->clock);
    }

    public function send(#[\SensitiveParameter] Request $request): Response
    {
        $path = (string) \parse_url($request->url, \PHP_URL_PATH);
        $fields = self::fields($request);
        $key = $request->headers['idempotency-key'] ?? null;
        $this->calls[] = new FakeCall($request->method, $path, $fields, $key);
        try {
            $this->failIfTold();
            return $this->once($key, $request, fn (): array => $this->answer($request->method, $path, $fields));
        } catch (FakeFailure $failure) {
            return self::refusal($failure);
        }
    }

    private function failIfTold(): void
    {
        if ($this->failures === []) {
            return;
        }
        $code = \array_shift($this->failures);
        if ($code === null) {
            throw new NetworkError('the fake was told not to answer');
        }
        throw new FakeFailure($code, 'the fake was told to fail');
    }

    /** @param \Closure(): array{int, array<string, mixed>} $answer */
    private function once(?string $key, Request $request, \Closure $answer): Response
    {
        $content = "{$request->method} {$request->url} {$request->body}";
        [$first, $response] = $this->kept[$key ?? ''] ?? [$content, null];
        if ($first !== $content) {
            throw new FakeFailure(ErrorCode::IDEMPOTENCY_KEY_REUSED, 'the key was used with another request');
        }
        if ($response === null) {
            [$status, $body] = $answer();
            $response = self::json($status, $body);
            if ($key !== null) {
                $this->kept[$key] = [$content, $response];
            }
        }
        return $response;
    }

    /**
     * @param array<string, mixed> $fields
     *
     * @return array{int, array<string, mixed>}
     */
    private function answer(string $method, string $path, array $fields): array
    {
        if (isset($this->answers["{$method} {$path}"])) {
            [$status, $body] = $this->answers["{$method} {$path}"];
            return [$status, $status < 300 ? $body + self::idsOf("{$method} {$path}") : $body];
        }
        $id = \preg_match('#^/v1/verify/sessions/([^/]+)(/cancel|/report)?$#', $path, $part) === 1
            ? \rawurldecode($part[1])
            : '';
        $route = $id === '' ? $path : '/v1/verify/sessions/{id}' . ($part[2] ?? '');
        return [200, match ("{$method} {$route}") {
            'POST /v1/verify/send' => $this->sendCode($fields),
            'POST /v1/verify/check' => $this->sessions->check($fields),
            'GET /v1/verify/sessions' => $this->sessions->list($fields),
            'GET /v1/verify/sessions/{id}' => $this->sessions->get($id),
            'POST /v1/verify/sessions/{id}/cancel' => $this->sessions->cancel($id),
            'POST /v1/verify/sessions/{id}/report' => $this->sessions->report($id, $fields['outcome'] ?? ''),
            'GET /v1/account' => $this->account(),
            default => throw new FakeFailure(
                ErrorCode::UNIMPLEMENTED,
                "the fake does not know {$method} {$path}: tell it by answer()",
            ),
        }];
    }

    /**
     * What a test need not say: the client takes no answer without them. Where an answer has no ids, they are passed over.
     *
     * @return array<string, string>
     */
    private static function idsOf(string $call): array
    {
        $part = [];
        foreach (Routes::TEMPLATES as $template) {
            $pattern = \preg_replace('/\{(\w+)\}/', '(?<$1>[^/]+)', $template);
            if (\preg_match("#^{$pattern}$#D", $call, $part) === 1) {
                break;
            }
        }
        return ['id' => \rawurldecode($part['id'] ?? 'fake'), 'event_id' => \rawurldecode($part['event_id'] ?? 'fake')];
    }

    /**
     * @param array<string, mixed> $fields
     *
     * @return array<string, mixed>
     */
    private function sendCode(array $fields): array
    {
        $to = FakeSession::number($fields);
        foreach ($this->refusals as $number => $code) {
            // PHP makes array keys of digits integers; a plus sign keeps them text.
            if ((string) $number === $to) {
                throw new FakeFailure($code, 'the fake was told to refuse this number', ['field' => 'to']);
            }
        }
        return $this->sessions->send($to, $fields);
    }

    /** @return array<string, mixed> */
    private function account(): array
    {
        return [
            'id' => 'acct_fake',
            'name' => 'Fake',
            'created_at' => $this->clock->text(),
            'language' => 'ar',
            'default_sender_id' => '',
            'cascade' => [],
            'in_country_only' => false,
        ];
    }

    /** @return array<string, mixed> */
    private static function fields(Request $request): array
    {
        if ($request->body !== null && $request->body !== '') {
            return (array) \json_decode($request->body, true);
        }
        \parse_str((string) \parse_url($request->url, \PHP_URL_QUERY), $query);
        return $query;
    }

    private static function refusal(FakeFailure $failure): Response
    {
        $headers = $failure->retryAfter === null ? [] : ['retry-after' => (string) $failure->retryAfter];
        $error = ['code' => $failure->errorCode, 'message' => $failure->getMessage(), 'request_id' => 'req_fake'];
        $status = ErrorCode::STATUSES[$failure->errorCode] ?? 400;
        return self::json($status, ['error' => $error + $failure->details], $headers);
    }

    /**
     * @param array<string, mixed> $body
     * @param array<string, string> $headers
     */
    private static function json(int $status, array $body, array $headers = []): Response
    {
        $headers += ['content-type' => 'application/json', 'x-request-id' => 'req_fake'];
        return new Response($status, $headers, \json_encode((object) $body, \JSON_THROW_ON_ERROR));
    }
}
