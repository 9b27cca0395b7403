<?php

declare(strict_types=1);

namespace Ramz\Tests;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;
use Ramz\Error\ApiError;
use Ramz\Listing;
use Ramz\Model\SessionSummary;
use Ramz\Model\TimelineEntry;
use Ramz\Testing\FakeClient;
use Ramz\Testing\SentCode;
use Ramz\Tests\Support\Vectors;

/** vectors/fake.json: stories that the fake of every SDK plays. */
final class StoriesTest extends TestCase
{
    private FakeClient $fake;
    /** @var array<string, string> */
    private array $saved = [];

    /** @return array<string, array{array<string, mixed>}> */
    public static function cases(): array
    {
        return Vectors::cases('fake');
    }

    /**
     * @dataProvider cases
     *
     * @param array<string, mixed> $case
     */
    #[DataProvider('cases')]
    public function testStory(array $case): void
    {
        $this->fake = new FakeClient();
        foreach ($case['steps'] as $index => $step) {
            $about = 'step ' . ($index + 1);
            match (true) {
                isset($step['advance_seconds']) => $this->fake->advance($step['advance_seconds']),
                isset($step['refuse']) => $this->fake->refuse($step['refuse']['to'], $step['refuse']['code']),
                isset($step['sent']) => self::assertSame(
                    $step['sent'],
                    array_map(static fn (SentCode $one): string => $one->to, $this->fake->sent()),
                    $about,
                ),
                default => $this->play($step, $about),
            };
        }
    }

    /** @param array<string, mixed> $step */
    private function play(array $step, string $about): void
    {
        try {
            isset($step['watch']) ? $this->watch($step, $about) : $this->call($step, $about);
            self::assertArrayNotHasKey('error', $step, $about);
        } catch (ApiError $error) {
            $expected = $step['error'] ?? throw $error;
            self::assertSame($expected['kind'], Vectors::kind($error), $about);
            self::assertSame($expected['code'], $error->errorCode, $about);
            self::assertSame($expected['field'] ?? null, $error->field, $about);
            self::assertSame($expected['retry_after_seconds'] ?? null, $error->retryAfter, $about);
            foreach ($expected['details'] ?? [] as $name => $value) {
                self::assertSame($this->id($value), $error->details[$name] ?? null, "{$about}: {$name}");
            }
        }
    }

    /** @param array<string, mixed> $step */
    private function call(array $step, string $about): void
    {
        $given = array_map($this->id(...), $step['arguments']);
        if (isset($step['idempotency_key'])) {
            $given['idempotency_key'] = $step['idempotency_key'];
        }
        $answer = Vectors::call($this->fake, $step['operation'], $given);
        if ($answer instanceof Listing) {
            // It asks when it is read.
            $sessions = iterator_to_array($answer, false);
            $ids = array_map(static fn (SessionSummary $one): string => $one->id, $sessions);
            self::assertSame(array_map($this->id(...), $step['ids'] ?? []), $ids, $about);
            foreach ($step['without'] ?? [] as $name) {
                self::assertFalse(property_exists(SessionSummary::class, $name), "{$about}: {$name}");
            }
            return;
        }
        foreach ($step['expect'] ?? [] as $name => $value) {
            self::assertSame($this->id($value), Vectors::at($answer, $name), "{$about}: {$name}");
        }
        if (isset($step['same'])) {
            self::assertSame($this->saved[$step['same']], $answer->id, $about);
        }
        if (isset($step['other'])) {
            self::assertNotSame($this->saved[$step['other']], $answer->id, $about);
        }
        if (isset($step['timeline'])) {
            self::assertSame($step['timeline'], self::kinds($answer->timeline), $about);
        }
        if (isset($step['save'])) {
            $this->saved[$step['save']] = $answer->id;
        }
    }

    /** @param array<string, mixed> $step */
    private function watch(array $step, string $about): void
    {
        $updates = [];
        $id = $this->id($step['watch']);
        foreach ($this->fake->verify->watch($id) as $change) {
            $updates[] = ['status' => $change->session?->status, 'new' => self::kinds($change->newEntries)];
            if (isset($step['cancel_after_first']) && count($updates) === 1) {
                $this->fake->verify->cancel($id);
            }
        }
        self::assertSame($step['updates'], $updates, $about);
    }

    /** What was saved under the name behind a dollar sign; else what it is. */
    private function id(mixed $value): mixed
    {
        return is_string($value) && str_starts_with($value, '$') ? $this->saved[substr($value, 1)] : $value;
    }

    /**
     * @param list<TimelineEntry> $timeline
     *
     * @return list<string>
     */
    private static function kinds(array $timeline): array
    {
        return array_map(static fn (TimelineEntry $one): string => $one->kind, $timeline);
    }
}
