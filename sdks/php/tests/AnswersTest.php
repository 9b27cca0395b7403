<?php

declare(strict_types=1);

namespace Ramz\Tests;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;
use Ramz\Error\ApiError;
use Ramz\Http\Response;
use Ramz\Model\SessionSummary;
use Ramz\Tests\Support\ScriptedTransport;
use Ramz\Tests\Support\Vectors;

/** vectors/answers.json: what the caller gets. */
final class AnswersTest extends TestCase
{
    private const REQUIRED = ['verify.send' => ['to' => '+213550000001'], 'verify.get' => ['id' => 'vrf_1'],
        'verify.check' => ['id' => 'vrf_1', 'code' => '042617'], 'verify.list' => []];

    /** @return array<string, array{array<string, mixed>}> */
    public static function cases(): array
    {
        return Vectors::cases('answers');
    }

    /**
     * @dataProvider cases
     *
     * @param array<string, mixed> $case
     */
    #[DataProvider('cases')]
    public function testVector(array $case): void
    {
        $bodies = $case['pages'] ?? [$case['body']];
        $transport = new ScriptedTransport(array_map(
            static fn (array $body): Response => new Response(200, [], json_encode((object) $body, JSON_THROW_ON_ERROR)),
            $bodies,
        ));
        $given = $case['arguments'] ?? self::REQUIRED[$case['operation']];
        if (isset($case['expect']['error'])) {
            $this->expectRefusal($transport, $case['operation'], $given, $case['expect']);
            return;
        }
        $answer = Vectors::call(Vectors::client($transport), $case['operation'], $given);
        if (isset($case['pages'])) {
            $ids = array_map(static fn (SessionSummary $one): string => $one->id, iterator_to_array($answer));
            self::assertSame($case['expect']['ids'], $ids);
            self::assertSame($case['expect']['page_tokens'], array_map(self::pageToken(...), $transport->requests));
            return;
        }
        foreach ($case['expect'] as $path => $value) {
            self::assertSame($value, Vectors::at($answer, (string) $path), (string) $path);
        }
    }

    /** @return array<string, array{array<string, mixed>}> */
    public static function written(): array
    {
        return Vectors::cases('written');
    }

    /**
     * vectors/written.json: what the caller's own JSON of it is.
     *
     * @dataProvider written
     *
     * @param array<string, mixed> $case
     */
    #[DataProvider('written')]
    public function testWritten(array $case): void
    {
        $transport = new ScriptedTransport([new Response(200, [], json_encode($case['body'], JSON_THROW_ON_ERROR))]);
        $answer = Vectors::call(Vectors::client($transport), $case['operation'], self::REQUIRED[$case['operation']]);
        self::assertSame($case['body'], json_decode(json_encode($answer, JSON_THROW_ON_ERROR), true));
    }

    /**
     * @param array<string, mixed> $given
     * @param array{error: string, message: string} $expect
     */
    private function expectRefusal(ScriptedTransport $transport, string $operation, array $given, array $expect): void
    {
        try {
            Vectors::call(Vectors::client($transport), $operation, $given);
            self::fail('there is an error');
        } catch (ApiError $error) {
            self::assertSame($expect['error'], Vectors::kind($error));
            self::assertStringStartsWith($expect['message'], $error->getMessage());
            self::assertSame('', $error->body, 'it may hold numbers and secrets');
            self::assertCount(1, $transport->requests);
        }
    }

    private static function pageToken(object $request): string
    {
        parse_str((string) parse_url($request->url, PHP_URL_QUERY), $query);
        return $query['page_token'] ?? '';
    }
}
