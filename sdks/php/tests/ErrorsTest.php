<?php

declare(strict_types=1);

namespace Ramz\Tests;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;
use Ramz\Error\ApiError;
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
}
