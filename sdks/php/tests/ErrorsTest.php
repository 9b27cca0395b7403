<?php

declare(strict_types=1);

namespace Ramz\Tests;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;
use Ramz\Client;
use Ramz\Error\ApiError;
use Ramz\Http\Response;
use Ramz\Tests\Support\ScriptedTransport;
use Ramz\Tests\Support\Vectors;

/** vectors/errors.json: which error an answer is. */
final class ErrorsTest extends TestCase
{
    /** @return array<string, array{array<string, mixed>}> */
    public static function cases(): array
    {
        return Vectors::cases('errors');
    }

    /**
     * @dataProvider cases
     *
     * @param array<string, mixed> $case
     */
    #[DataProvider('cases')]
    public function testVector(array $case): void
    {
        $client = Vectors::client(new ScriptedTransport([Vectors::response($case)]), 0);
        try {
            $client->verify->send('+213550000001');
            self::fail('there is an error');
        } catch (ApiError $error) {
            foreach ($case['expect']['headers'] ?? [] as $name => $value) {
                self::assertSame($value, $error->header((string) $name));
            }
            self::assertEquals(array_diff_key($case['expect'], ['headers' => 1]), [
                'kind' => Vectors::kind($error),
                'code' => $error->errorCode,
                'message' => $error->getMessage(),
                'field' => $error->field,
                'request_id' => $error->requestId,
                'retry_after_seconds' => $error->retryAfter,
                'details' => $error->details,
                'body' => $error->body,
            ]);
            self::assertSame($case['status'], $error->status);
            self::assertSame($case['status'], $error->getCode());
        }
    }

    public function testAGatewayThatRepeatsTheKey(): void
    {
        $key = 'ramz_test_secret_9f8e7d';
        $refusal = ['code' => 'bad_token', 'message' => "no such token: {$key}", 'token' => $key];
        foreach ([$refusal, ['error' => $refusal]] as $body) {
            $response = new Response(401, ['x-request-id' => $key], (string) \json_encode($body));
            $client = new Client(
                apiKey: $key,
                baseUrl: 'https://verify.example',
                maxRetries: 0,
                httpClient: new ScriptedTransport([$response]),
            );
            try {
                $client->verify->get('vrf_1');
                self::fail('there is an error');
            } catch (ApiError $error) {
                self::assertStringContainsString('no such token: ***', $error->getMessage());
                $shown = [$error->getMessage(), $error->requestId, $error->details, $error->headers, $error->body];
                self::assertStringNotContainsString($key, (string) \json_encode($shown));
            }
        }
    }
}
