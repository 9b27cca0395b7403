<?php

declare(strict_types=1);

namespace Ramz\Tests;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;
use Ramz\Client;
use Ramz\Error\ApiError;
use Ramz\Error\NetworkError;
use Ramz\Error\RamzError;
use Ramz\Error\RequestTimeoutError;
use Ramz\Http\Request;
use Ramz\Http\Response;
use Ramz\Tests\Support\ScriptedTransport;
use Ramz\Tests\Support\Vectors;

/** vectors/retries.json: when calls are repeated, and after how long. */
final class RetriesTest extends TestCase
{
    private const REQUIRED = [
        'verify.send' => ['to' => '+213550000001'],
        'webhook_endpoints.create' => ['url' => 'https://shop.example/hook'],
    ];

    /** @return iterable<string, array{array<string, mixed>, float}> Each with the least, the middle and the most chance. */
    public static function cases(): iterable
    {
        foreach (Vectors::cases('retries') as $name => [$case]) {
            foreach ([0.0, 0.5, 1.0] as $chance) {
                yield "{$name} ({$chance})" => [$case, $chance];
            }
        }
    }

    /**
     * @dataProvider cases
     *
     * @param array<string, mixed> $case
     */
    #[DataProvider('cases')]
    public function testVector(array $case, float $chance): void
    {
        $transport = new ScriptedTransport(array_map(self::answer(...), $case['responses']));
        $transport->timing->chance = $chance;
        $expect = $case['expect'];
        $outcome = $this->outcome(Vectors::client($transport, $case['max_retries'] ?? 2), $case);

        $isDone = $expect['done'] ?? false;
        self::assertSame($isDone ? 'nothing' : $expect['ok'] ?? $expect['error'], $outcome['answer']);
        self::assertSame($expect['code'] ?? '', $outcome['code']);
        self::assertCount($expect['calls'], $transport->requests);
        self::assertCount(count($expect['waits_ms']), $transport->timing->waits);
        foreach ($expect['waits_ms'] as $index => [$least, $most]) {
            $wait = $transport->timing->waits[$index];
            self::assertEqualsWithDelta($least + ($most - $least) * $chance, $wait, 0.001);
        }
        $keys = array_map(static fn (Request $one): ?string => $one->headers['idempotency-key'] ?? null, $transport->requests);
        self::assertCount(1, array_unique($keys), 'one key for all tries');
    }

    public function testEveryCallHasAKeyOfItsOwnUnlessGiven(): void
    {
        $ok = new Response(200, [], '{"id":"vrf_1"}');
        $transport = new ScriptedTransport([$ok, $ok, $ok]);
        $client = Vectors::client($transport);
        $client->verify->send('+213550000001');
        $client->verify->send('+213550000001');
        $client->verify->send('+213550000001', idempotencyKey: 'mine');
        $keys = array_map(static fn (Request $one): string => $one->headers['idempotency-key'], $transport->requests);
        self::assertCount(3, array_unique($keys));
        self::assertSame('mine', $keys[2]);
    }

    /** @param array<string, mixed> $case */
    private static function answer(array $case): Response|NetworkError
    {
        return match ($case['fault'] ?? null) {
            'connection' => new NetworkError('lost'),
            'timeout' => new RequestTimeoutError('late'),
            null => Vectors::response($case),
        };
    }

    /**
     * @param array<string, mixed> $case
     *
     * @return array{answer: string, code: string}
     */
    private function outcome(Client $client, array $case): array
    {
        $arguments = $case['arguments'] ?? self::REQUIRED[$case['operation']];
        try {
            $answer = Vectors::call($client, $case['operation'], $arguments);
            return ['answer' => $answer === null ? 'nothing' : $answer->id, 'code' => ''];
        } catch (RamzError $error) {
            return ['answer' => Vectors::kind($error), 'code' => $error instanceof ApiError ? $error->errorCode : ''];
        }
    }
}
