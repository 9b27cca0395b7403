<?php

declare(strict_types=1);

namespace Ramz\Internal;

use Ramz\Client;
use Ramz\Error\ApiError;
use Ramz\Error\NetworkError;
use Ramz\Http\Request;
use Ramz\Http\StreamingTransport;
use Ramz\Http\Transport;

/**
 * Makes the calls of all resources: headers, repeats, answers.
 *
 * @internal
 */
final class Caller
{
    private readonly Retries $retries;

    public function __construct(
        private readonly Settings $settings,
        private readonly Transport $transport,
        private readonly Timing $timing,
    ) {
        $this->retries = new Retries($settings->maxRetries, $timing);
    }

    /**
     * @template T
     *
     * @param (\Closure(array<mixed>): T)|null $read Null: the answer says nothing.
     *
     * @return T|null
     *
     * @throws ApiError
     * @throws NetworkError
     */
    public function call(Operation $operation, ?\Closure $read = null): mixed
    {
        $read ??= static fn (array $answer): mixed => null;
        $request = $this->request($operation);
        for ($repeats = 0;; $repeats++) {
            try {
                $response = $this->transport->send($request);
                return Answers::read($response, $this->settings->apiKey, $operation->ids, $read);
            } catch (ApiError | NetworkError $error) {
                $pause = $this->retries->pause($error, $operation->isRepeatable, $repeats);
                if ($pause === null) {
                    throw $error;
                }
            }
            $this->timing->sleep($pause);
        }
    }

    /**
     * Opens a stream of Connect; null where the transport has none.
     *
     * @param array<string, mixed> $fields
     *
     * @return \Generator<int, array<mixed>>|null
     */
    public function stream(string $path, array $fields): ?\Generator
    {
        if (!$this->transport instanceof StreamingTransport) {
            return null;
        }
        $headers = ['content-type' => 'application/connect+json', 'connect-protocol-version' => '1'];
        $request = new Request(
            'POST',
            $this->settings->baseUrl . $path,
            $headers + $this->headers(),
            Envelopes::write(Operation::encode($fields)),
            $this->settings->timeout,
        );
        return Envelopes::read($this->transport->stream($request));
    }

    public function sleep(float $seconds): void
    {
        $this->timing->sleep($seconds);
    }

    private function request(Operation $operation): Request
    {
        $headers = $this->headers() + ['accept' => 'application/json'];
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
        return new Request($operation->method, $url, $headers, $body, $this->settings->timeout);
    }

    /** @return array<string, string> */
    private function headers(): array
    {
        return [
            'authorization' => 'Bearer ' . $this->settings->apiKey->reveal(),
            'user-agent' => 'ramz-php/' . Client::VERSION . ' php/' . \PHP_VERSION,
        ];
    }
}
