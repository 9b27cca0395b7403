<?php

declare(strict_types=1);

namespace Ramz\Tests\Support;

use PHPUnit\Framework\Assert;
use Ramz\Client;
use Ramz\Http\Response;

/** The vectors that every SDK is held to, and what they need. */
final class Vectors
{
    public const API_KEY = 'ramz_test_vectors';
    public const BASE_URL = 'https://ramz.example';

    /** @return array<string, array{array<string, mixed>}> By name, for a data provider. */
    public static function cases(string $file, string $list = 'cases'): array
    {
        $path = dirname(__DIR__, 3) . "/vectors/{$file}.json";
        $all = json_decode((string) file_get_contents($path), true, 512, JSON_THROW_ON_ERROR);
        $cases = [];
        foreach ($all[$list] as $case) {
            $cases[$case['name'] ?? $case['text']] = [$case];
        }
        Assert::assertCount(count($all[$list]), $cases, 'two cases have one name');
        return $cases;
    }

    public static function client(ScriptedTransport $transport, int $maxRetries = 2): Client
    {
        return new Client(self::API_KEY, self::BASE_URL, 1.0, $maxRetries, $transport, timing: $transport->timing);
    }

    /** @param array<string, mixed> $arguments By their names in the contract. */
    public static function call(Client $client, string $operation, array $arguments): mixed
    {
        [$resource, $method] = array_map(self::camel(...), explode('.', $operation));
        $named = array_combine(array_map(self::camel(...), array_keys($arguments)), array_values($arguments));
        foreach (['createdAfter', 'createdBefore', 'expiresAt'] as $time) {
            if (isset($named[$time])) {
                $named[$time] = new \DateTimeImmutable($named[$time]);
            }
        }
        return $client->{$resource}->{$method}(...$named);
    }

    /** @param array<string, mixed> $case `status`, `headers`, `body` or `body_text`. */
    public static function response(array $case): Response
    {
        $body = array_key_exists('body', $case) ? json_encode($case['body'], JSON_THROW_ON_ERROR) : $case['body_text'];
        return new Response($case['status'], $case['headers'] ?? [], $body);
    }

    /** @param string $path `cascade.0.timeout_seconds` */
    public static function at(object $answer, string $path): mixed
    {
        $value = $answer;
        foreach (explode('.', $path) as $step) {
            $value = is_array($value) ? $value[(int) $step] : $value->{self::camel($step)};
        }
        return $value;
    }

    public static function camel(string $name): string
    {
        return lcfirst(str_replace('_', '', ucwords($name, '_')));
    }

    /** What the vectors call the class of an error. */
    public static function kind(\Throwable $error): string
    {
        $name = (new \ReflectionClass($error))->getShortName();
        $kind = strtolower((string) preg_replace('/(?<=[a-z])(?=[A-Z])/', '_', substr($name, 0, -strlen('Error'))));
        return $kind === 'request_timeout' ? 'timeout' : $kind;
    }
}
