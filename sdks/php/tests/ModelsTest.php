<?php

declare(strict_types=1);

namespace Ramz\Tests;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;
use Ramz\Client;
use Ramz\Model\Session;

/** Generated models: read, written, and not to be changed. */
final class ModelsTest extends TestCase
{
    private const SESSION = [
        'id' => 'vrf_1',
        'status' => 'pending',
        'to' => '+213550000001',
        'code_length' => 6,
        'autofill' => ['web_origin' => 'shop.example'],
        'created_at' => '2026-03-01T10:15:30.412Z',
        'cascade' => [['channel' => 'sms', 'timeout_seconds' => 15], ['channel' => 'voice']],
        'messages' => [['id' => 'msg_1', 'cost' => ['amount' => '3.50', 'currency' => 'DZD'], 'receipts' => [['status' => 'DELIVRD']]]],
        'timeline' => [['kind' => 'leg_started', 'position' => 0], ['kind' => 'session_opened']],
        'test' => true,
    ];

    public function testWhatIsReadIsWrittenBack(): void
    {
        $session = Session::fromArray(self::SESSION);
        self::assertSame('3.50', $session->messages[0]->cost?->amount);
        self::assertSame('DELIVRD', $session->messages[0]->receipts[0]->status);
        self::assertNull($session->cascade[1]->timeoutSeconds);
        self::assertSame([0, null], [$session->timeline[0]->position, $session->timeline[1]->position]);

        $written = json_decode((string) json_encode($session), true);
        self::assertEquals($session, Session::fromArray($written));
        self::assertSame('2026-03-01T10:15:30.412Z', $written['created_at']);
        self::assertSame(['channel' => 'voice'], $written['cascade'][1]);
        self::assertSame('', $written['purpose'], 'what is always there is written');
        self::assertArrayNotHasKey('verified_at', $written);
    }

    public function testWhatIsMissingOrNullHasItsDefault(): void
    {
        $session = Session::fromArray(['run' => 2.0, 'id' => null, 'created_at' => null, 'timeline' => null]);
        self::assertSame(['', 0, false, 2], [$session->id, $session->codeLength, $session->test, $session->run]);
        self::assertNull($session->createdAt);
        self::assertNull($session->autofill);
        self::assertSame([], $session->timeline);
    }

    /** @return list<array{array<string, mixed>}> */
    public static function otherTypes(): array
    {
        $values = [
            ['id' => ['x']], ['id' => 5], ['code_length' => '6'], ['sends' => 1.5], ['test' => 'yes'], ['test' => 1],
            ['created_at' => 5], ['autofill' => 'no'], ['cascade' => [['channel' => 'sms'], 'voice']],
            ['cascade' => ['channel' => 'sms']], ['timeline' => 'none'],
        ];
        return array_map(static fn (array $value): array => [$value], $values);
    }

    /**
     * @dataProvider otherTypes
     *
     * @param array<string, mixed> $data
     */
    #[DataProvider('otherTypes')]
    public function testWhatIsOfAnotherTypeIsRefusedByName(array $data): void
    {
        $this->expectException(\UnexpectedValueException::class);
        $this->expectExceptionMessage(array_key_first($data) . ' is not ');
        Session::fromArray($data);
    }

    public function testAModelDoesNotChange(): void
    {
        $session = Session::fromArray(self::SESSION);
        $this->expectException(\Error::class);
        $session->status = 'verified';
    }

    /** The package as it is installed: every class it has can be loaded, and its name fits its place. */
    public function testEveryClassLoads(): void
    {
        $root = dirname((string) (new \ReflectionClass(Client::class))->getFileName(), 2);
        $count = 0;
        foreach (['src', 'generated'] as $folder) {
            $files = new \RecursiveIteratorIterator(new \RecursiveDirectoryIterator("{$root}/{$folder}", \FilesystemIterator::SKIP_DOTS));
            foreach ($files as $file) {
                $name = 'Ramz\\' . strtr(substr((string) $file, strlen("{$root}/{$folder}/"), -4), '/', '\\');
                self::assertTrue(class_exists($name) || interface_exists($name), $name);
                $count++;
            }
        }
        self::assertGreaterThan(100, $count);
    }
}
