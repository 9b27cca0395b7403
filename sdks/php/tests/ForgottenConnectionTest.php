<?php

declare(strict_types=1);

namespace Ramz\Tests;

use PHPUnit\Framework\TestCase;
use Ramz\Client;
use Ramz\Http\CurlTransport;
use Ramz\ResponseInfo;
use Ramz\Tests\Support\RecordedTiming;
use Ramz\Tests\Support\Server;

/** A connection of HTTP/2 that nobody has at its other end any more, and whose end nobody tells: curl keeps it after a timeout. */
final class ForgottenConnectionTest extends TestCase
{
    public function testTheAttemptAfterATimeoutHasAnotherConnection(): void
    {
        $server = new Server('forgotten.php');
        $statuses = [];
        $client = new Client(
            'key',
            \str_replace('http:', 'https:', $server->url),
            timeout: 1.0,
            onResponse: static function (ResponseInfo $info) use (&$statuses): void {
                $statuses[] = $info->status;
            },
            httpClient: new CurlTransport([\CURLOPT_SSL_VERIFYPEER => false, \CURLOPT_SSL_VERIFYHOST => 0]),
            timing: new RecordedTiming(),
        );
        try {
            $client->verify->get('vrf_1'); // Leaves the connection behind.
            self::assertSame('vrf_1', $client->verify->get('vrf_1')->id);
            $client->verify->get('vrf_1');
        } finally {
            $server->stop();
        }
        self::assertSame([200, 0, 200, 200], $statuses);
    }
}
