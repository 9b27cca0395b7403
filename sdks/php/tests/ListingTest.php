<?php

declare(strict_types=1);

namespace Ramz\Tests;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;
use Ramz\Error\ApiError;
use Ramz\Http\Response;
use Ramz\Tests\Support\ScriptedTransport;
use Ramz\Tests\Support\Vectors;

/** Lists beyond the vectors. */
final class ListingTest extends TestCase
{
    private static function page(string $id, string $next): Response
    {
        return new Response(200, [], "{\"api_keys\":[{\"id\":\"{$id}\"}],\"next_page_token\":\"{$next}\"}");
    }

    public function testNothingIsFetchedBeforeItIsWanted(): void
    {
        $transport = new ScriptedTransport([self::page('key_2', 'more')]);
        $list = Vectors::client($transport)->apiKeys->list(includeRevoked: true);
        self::assertCount(0, $transport->requests);
        foreach ($list as $key) {
            self::assertSame('key_2', $key->id);
            break;
        }
        self::assertCount(1, $transport->requests);
        self::assertStringEndsWith('/v1/api_keys?include_revoked=true', $transport->requests[0]->url);
    }

    /** @return array<string, array{array<string, mixed>}> */
    public static function circles(): array
    {
        return Vectors::cases('lists');
    }

    /**
     * vectors/lists.json.
     *
     * @dataProvider circles
     *
     * @param array<string, mixed> $case
     */
    #[DataProvider('circles')]
    public function testAListPageAfterPage(array $case): void
    {
        $pages = array_map(static fn (array $page): Response => new Response(200, [], (string) json_encode($page)), $case['pages']);
        $transport = new ScriptedTransport($pages);
        $ids = [];
        try {
            foreach (Vectors::client($transport)->verify->list() as $session) {
                $ids[] = $session->id;
            }
            self::assertNull($case['expect']['error'], 'it would have no end');
        } catch (ApiError $error) {
            self::assertSame($case['expect']['error'], Vectors::kind($error));
        }
        self::assertSame($case['expect']['ids'], $ids);
        $asked = static fn (object $one): string => rawurldecode(explode('page_token=', $one->url)[1] ?? '');
        self::assertSame($case['expect']['page_tokens'], array_map($asked, $transport->requests));
    }

    public function testAListStartsWhereItIsTold(): void
    {
        $transport = new ScriptedTransport([self::page('key_1', ''), self::page('key_1', '')]);
        $list = Vectors::client($transport)->apiKeys->list(pageToken: 'a b');
        self::assertSame('', $list->firstPage()->nextPageToken);
        self::assertCount(1, iterator_to_array($list));
        self::assertStringEndsWith('?page_token=a%20b', $transport->requests[1]->url);
    }
}
