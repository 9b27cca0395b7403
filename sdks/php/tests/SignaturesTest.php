<?php

declare(strict_types=1);

namespace Ramz\Tests;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;
use Ramz\Error\SignatureError;
use Ramz\Tests\Support\Vectors;
use Ramz\Webhooks;

/** vectors/signatures.json: webhooks signed and verified. */
final class SignaturesTest extends TestCase
{
    /** @return array<string, array{array<string, mixed>}> */
    public static function signed(): array
    {
        return Vectors::cases('signatures', 'sign');
    }

    /**
     * @dataProvider signed
     *
     * @param array<string, mixed> $case
     */
    #[DataProvider('signed')]
    public function testSign(array $case): void
    {
        $headers = Webhooks::sign($case['body'], $case['secrets'], $case['id'], $case['timestamp']);
        self::assertSame([
            'webhook-id' => $case['id'],
            'webhook-timestamp' => (string) $case['timestamp'],
            'webhook-signature' => $case['signature'],
        ], $headers);
    }

    /** @return array<string, array{array<string, mixed>}> */
    public static function received(): array
    {
        return Vectors::cases('signatures', 'verify');
    }

    /**
     * @dataProvider received
     *
     * @param array<string, mixed> $case
     */
    #[DataProvider('received')]
    public function testVerify(array $case): void
    {
        $headers = [
            'Webhook-Id' => $case['id'],
            'WEBHOOK-TIMESTAMP' => [$case['timestamp']],
            'webhook-signature' => $case['signature'],
        ];
        try {
            $event = Webhooks::verify($case['body'], $headers, $case['secrets'], now: $case['now']);
            self::assertSame('valid', $case['expect']);
            self::assertSame(json_decode($case['body'], true)['type'], $event->type);
        } catch (SignatureError $error) {
            self::assertSame($case['expect'], $error->reason);
        }
    }
}
