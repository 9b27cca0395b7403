<?php

declare(strict_types=1);

namespace Ramz\Tests;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;
use Ramz\Http\Response;
use Ramz\Tests\Support\ScriptedTransport;
use Ramz\Tests\Support\Vectors;

/** vectors/requests.json: what calls look like on the wire. */
final class RequestsTest extends TestCase
{
    /** @return array<string, array{array<string, mixed>}> */
    public static function cases(): array
    {
        return Vectors::cases('requests');
    }

    /**
     * @dataProvider cases
     *
     * @param array<string, mixed> $case
     */
    #[DataProvider('cases')]
    public function testVector(array $case): void
    {
        // An answer to whatever was asked.
        $answered = array_intersect_key($case['arguments'], ['id' => 1, 'event_id' => 1]) + ['id' => 'vrf_1'];
        $transport = new ScriptedTransport([new Response(200, [], json_encode($answered, JSON_THROW_ON_ERROR))]);
        $answer = Vectors::call(Vectors::client($transport), $case['operation'], $case['arguments']);
        if ($answer instanceof \Traversable) {
            iterator_to_array($answer);
        }

        [$request] = $transport->requests;
        $expect = $case['expect'];
        self::assertSame($expect['method'], $request->method);
        self::assertSame(Vectors::BASE_URL . $expect['target'], $request->url);
        self::assertSame('Bearer ' . Vectors::API_KEY, $request->headers['authorization']);
        self::assertMatchesRegularExpression('#^ramz-php/\d+\.\d+\.\d+ #', $request->headers['user-agent']);
        if (isset($expect['body'])) {
            self::assertSame('application/json', $request->headers['content-type']);
            self::assertEquals($expect['body'], json_decode((string) $request->body, true));
            self::assertSame($expect['bytes'] ?? strlen((string) $request->body), strlen((string) $request->body));
        } else {
            self::assertSame('', (string) $request->body);
            self::assertArrayNotHasKey('content-type', $request->headers);
        }
        self::assertSame($expect['idempotency_key'] ?? false, isset($request->headers['idempotency-key']));
    }
}
