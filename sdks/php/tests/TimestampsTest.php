<?php

declare(strict_types=1);

namespace Ramz\Tests;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;
use Ramz\Http\Response;
use Ramz\Model\Session;
use Ramz\Tests\Support\ScriptedTransport;
use Ramz\Tests\Support\Vectors;

/** vectors/timestamps.json: times in answers and in requests. */
final class TimestampsTest extends TestCase
{
    /** @return array<string, array{array<string, mixed>}> */
    public static function cases(): array
    {
        return Vectors::cases('timestamps');
    }

    /**
     * @dataProvider cases
     *
     * @param array<string, mixed> $case
     */
    #[DataProvider('cases')]
    public function testVector(array $case): void
    {
        $time = Session::fromArray(['created_at' => $case['text']])->createdAt;
        self::assertInstanceOf(\DateTimeImmutable::class, $time);
        self::assertSame('UTC', $time->getTimezone()->getName());
        self::assertSame($case['unix_ms'], (int) $time->format('U') * 1000 + (int) $time->format('v'));

        $transport = new ScriptedTransport([new Response(200, [], '{}')]);
        iterator_to_array(Vectors::client($transport)->verify->list(createdAfter: $time));
        self::assertStringEndsWith('?created_after=' . rawurlencode($case['written']), $transport->requests[0]->url);
    }

    /** @return list<array{mixed}> */
    public static function noTimes(): array
    {
        return [[''], ['yesterday'], ['2026-03-01'], ['2026-03-01T10:15:30'], [1772360130], ["2026-03-01T10:15:30Z\n"]];
    }

    /** @dataProvider noTimes */
    #[DataProvider('noTimes')]
    public function testWhatIsNoTimeIsRefused(mixed $text): void
    {
        $this->expectException(\UnexpectedValueException::class);
        Session::fromArray(['created_at' => $text]);
    }
}
