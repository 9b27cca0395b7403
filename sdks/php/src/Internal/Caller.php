<?php

declare(strict_types=1);

namespace Ramz\Internal;

use Ramz\CallOptions;
use Ramz\Error\ApiError;
use Ramz\Error\NetworkError;
use Ramz\Http\Request;
use Ramz\Http\Response;
use Ramz\Http\StreamingTransport;
use Ramz\Http\Transport;

/**
 * Makes the calls of all resources: headers, repeats, answers.
 *
 * @internal
 */
final class Caller
{
    public function __construct(
        private readonly Settings $settings,
        private readonly Transport $transport,
        private readonly Timing $timing,
    ) {
    }

    /**
     * @template T
     *
     * @param (\Closure(array<mixed>): T)|null $read Null: the response says nothing.
     *
     * @return T|null
     *
     * @throws ApiError
     * @throws NetworkError
     */
    public function call(Operation $operation, ?CallOptions $options = null, ?\Closure $read = null): mixed
    {
        $isDeletion = $operation->method === 'DELETE' && $read === null;
        $read ??= static fn (array $answer): mixed => null;
        $course = new Course($this->settings, $options);
        $request = $this->request($operation, $course);
        $attempts = new Attempts($course, $this->reporter($operation->name, $course), $this->timing);
        while (true) {
            try {
                $response = $this->attempt($request, $attempts);
                return Answers::read($response, $this->settings->apiKey, $operation->ids, $read);
            } catch (ApiError | NetworkError $error) {
                if ($isDeletion && $attempts->haveDeleted($error)) {
                    return null;
                }
                $pause = $attempts->pauseAfter($error, $operation->isRepeatable);
                if ($pause === null) {
                    throw $error;
                }
            }
            $this->timing->sleep($pause);
        }
    }

    /** What a watch needs for all its connections; null where the transport has no streams. */
    public function streams(string $name, string $path, ?CallOptions $options): ?Streams
    {
        // Checked in any case.
        $course = Course::ofWatch($this->settings, $options);
        if (!$this->transport instanceof StreamingTransport) {
            return null;
        }
        $headers = ['content-type' => 'application/connect+json', 'connect-protocol-version' => '1'];
        $headers += $this->headers($course);
        $reporter = $this->reporter($name, $course);
        $url = $this->settings->baseUrl . $path;
        return new Streams($this->transport, $url, $headers, $this->settings->apiKey, $course->timeout, $reporter);
    }

    public function sleep(float $seconds): void
    {
        $this->timing->sleep($seconds);
    }

    private function attempt(#[\SensitiveParameter] Request $request, Attempts $attempts): Response
    {
        $request = $request->within($attempts->begin());
        try {
            $response = $this->transport->send($request);
        } catch (ApiError | NetworkError $error) {
            $attempts->failed($error);
            throw $error;
        }
        $attempts->answered($response);
        return $response;
    }

    private function reporter(string $operation, Course $course): Reporter
    {
        return new Reporter($operation, $this->settings->apiKey, $course->hooks, $this->timing);
    }

    private function request(Operation $operation, Course $course): Request
    {
        $headers = $this->headers($course) + ['accept' => 'application/json'];
        $body = $operation->json();
        if ($body !== null) {
            $headers['content-type'] = 'application/json';
        } elseif ($operation->method === 'POST') {
            $body = '';
        }
        if ($operation->idempotencyKey !== null) {
            $headers['idempotency-key'] = $operation->idempotencyKey;
        }
        $url = $this->settings->baseUrl . $operation->target();
        return new Request(
            $operation->method,
            $url,
            $headers,
            $body,
            $course->timeout,
            isRepeatable: $operation->isRepeatable,
        );
    }

    /** @return array<string, string> */
    private function headers(Course $course): array
    {
        return [
            'authorization' => 'Bearer ' . $this->settings->apiKey->reveal(),
            'user-agent' => $this->settings->userAgent,
        ] + $course->headers;
    }
}
