<?php

declare(strict_types=1);

namespace Ramz\Tests;

use PHPUnit\Framework\TestCase;
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

    public function testATokenThatComesAgainEndsTheList(): void
    {
        $transport = new ScriptedTransport([self::page('key_2', 'more'), self::page('key_1', 'more')]);
        self::assertCount(2, iterator_to_array(Vectors::client($transport)->apiKeys->list()));
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
