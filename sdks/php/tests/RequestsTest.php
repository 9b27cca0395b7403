<?php

declare(strict_types=1);

namespace Ramz\Tests;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;
use Ramz\Client;
use Ramz\Http\Response;
use Ramz\Model\BudgetLimits;
use Ramz\Model\KeyRestrictions;
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
            // As objects: an array could be a list or a map.
            self::assertEquals(self::bodyOf($case['name']), json_decode((string) $request->body));
            self::assertSame($expect['bytes'] ?? strlen((string) $request->body), strlen((string) $request->body));
        } else {
            self::assertSame('', (string) $request->body);
            self::assertArrayNotHasKey('content-type', $request->headers);
        }
        self::assertSame($expect['idempotency_key'] ?? false, isset($request->headers['idempotency-key']));
    }

    private static function bodyOf(string $name): object
    {
        $text = (string) file_get_contents(dirname(__DIR__, 2) . '/vectors/requests.json');
        $cases = json_decode($text, false, 512, JSON_THROW_ON_ERROR)->cases;
        return array_column($cases, null, 'name')[$name]->expect->body;
    }

    /** @return array<string, array{\Closure(Client): mixed, string}> */
    public static function arrays(): array
    {
        $create = static fn (mixed ...$given): \Closure => static fn (Client $client): object
            => $client->apiKeys->create('backend', ...$given);
        $budget = static fn (array|BudgetLimits $budget): \Closure => $create(restrictions: ['budget' => $budget]);
        return [
            'a list with a gap' => [
                static fn (Client $client): object => $client->webhookEndpoints->update(
                    'vrf_1',
                    eventTypes: array_filter(['', 'receipt.updated', null]),
                ),
                '{"event_types":["receipt.updated"]}',
            ],
            'a list with names' => [
                $create(scopes: ['first' => 'check']),
                '{"name":"backend","scopes":["check"]}',
            ],
            'a list with a gap, further in' => [
                $create(restrictions: ['addresses' => [1 => '192.0.2.1', 2 => null]]),
                '{"name":"backend","restrictions":{"addresses":["192.0.2.1"]}}',
            ],
            'a list of a model, with a gap' => [
                $create(restrictions: new KeyRestrictions(prefixes: [1 => '+21355'])),
                '{"name":"backend","restrictions":{"prefixes":["+21355"]}}',
            ],
            'an empty object' => [$budget([]), '{"name":"backend","restrictions":{"budget":{}}}'],
            'an empty model' => [$budget(new BudgetLimits()), '{"name":"backend","restrictions":{"budget":{}}}'],
            'an empty model in a model' => [
                $create(restrictions: new KeyRestrictions(budget: new BudgetLimits())),
                '{"name":"backend","restrictions":{"budget":{}}}',
            ],
            'a model in an array' => [
                $budget(new BudgetLimits(spendPerDay: ['DZD' => '5000'])),
                '{"name":"backend","restrictions":{"budget":{"spend_per_day":{"DZD":"5000"}}}}',
            ],
            'a map with null' => [
                $budget(['spend_per_day' => ['DZD' => '5000', 'EUR' => null], 'spend_per_hour' => ['EUR' => null]]),
                '{"name":"backend","restrictions":{"budget":{"spend_per_day":{"DZD":"5000"},"spend_per_hour":{}}}}',
            ],
            'what is iterated' => [
                $budget(['spend_per_day' => (static fn (): \Generator => yield 'DZD' => '5000')(), 'spend_per_hour' => (object) []]),
                '{"name":"backend","restrictions":{"budget":{"spend_per_day":{"DZD":"5000"},"spend_per_hour":{}}}}',
            ],
            'a map whose keys look like a list\'s' => [
                static fn (Client $client): object => $client->verify->send(
                    '+213550000001',
                    metadata: ['0' => 'first', '1' => null],
                ),
                '{"to":"+213550000001","metadata":{"0":"first"}}',
            ],
        ];
    }

    /**
     * @dataProvider arrays
     *
     * @param \Closure(Client): mixed $call
     */
    #[DataProvider('arrays')]
    public function testArraysAreWrittenAsTheContractHasThem(\Closure $call, string $body): void
    {
        $transport = new ScriptedTransport([new Response(200, [], '{"id":"vrf_1"}')]);
        $call(Vectors::client($transport));
        self::assertSame($body, $transport->requests[0]->body);
    }
}
