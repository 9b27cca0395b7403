<?php

// A server for the tests of transports, on a loopback port that it prints. The first part of a path says how it behaves.
// Ends when its standard input does.

declare(strict_types=1);

$server = stream_socket_server('tcp://127.0.0.1:0');
echo explode(':', (string) stream_socket_get_name($server, false))[1], "\n";
$held = [];
$kept = [];
$lost = 0;
$muffled = ['streams' => 0, 'calls' => 0];
$late = 0;
// The end of a stream as the service writes it, without the `debug` of its details.
const FULL = '{"error":{"code":"resource_exhausted","message":"the account watches 100 sessions at this process","details":['
    . '{"type":"google.rpc.ErrorInfo","value":"ChB0b29fbWFueV93YXRjaGVzEgRyYW16"},'
    . '{"type":"google.rpc.RetryInfo","value":"CgIIBQ"},'
    . '{"type":"google.rpc.RequestInfo","value":"CgVyZXFfMQ"}]},"metadata":{"retry-after":["5"]}}';

while (true) {
    $ready = [$server, STDIN, ...$kept];
    $none = null;
    stream_select($ready, $none, $none, null);
    if (in_array(STDIN, $ready, true)) {
        exit(0);
    }
    $connection = in_array($server, $ready, true) ? stream_socket_accept($server) : end($ready);
    $kept = array_filter($kept, static fn (mixed $one): bool => $one !== $connection);
    [$line, $headers, $body] = readRequest($connection);
    if ($line === '') {
        continue; // The other side closed it.
    }
    [$method, $target] = explode(' ', $line . ' ');
    $scenario = explode('/', $target)[1];
    $isStream = str_contains($target, '/WatchSession')
        && [$method, $headers['content-type'] ?? ''] === ['POST', 'application/connect+json']
        && $headers['connect-protocol-version'] === '1'
        && $headers['authorization'] === 'Bearer key'
        && $body === pack('CN', 0, 14) . '{"id":"vrf_1"}';
    match (true) {
        $scenario === 'echo' => answer($connection, 200, compact('method', 'target', 'headers', 'body')),
        $scenario === 'away' => answer($connection, 302, [], ["location: http://{$headers['host']}/echo"]),
        $scenario === 'gzip' => packed($connection, '{"id":"vrf_1"}'),
        $scenario === 'bomb' => packed($connection, str_repeat(' ', 64 << 20)),
        $scenario === 'reflect' => reflect($connection, $headers['authorization']),
        $scenario === 'early' => fwrite($connection, "HTTP/1.1 103 Early Hints\r\nx-request-id: no\r\n\r\n")
            && answer($connection, 503, [], ['x-request-id: req_1', 'retry-after: 3']),
        $scenario === 'big' => pour($connection, "HTTP/1.1 200 OK\r\n\r\n", str_repeat(' ', 1 << 20), 1024),
        $scenario === 'big-error' => pour($connection, "HTTP/1.1 403 No\r\n\r\n", str_repeat(' ', 1 << 20), 1024),
        $scenario === 'headers' => pour($connection, "HTTP/1.1 200 OK\r\n", 'x-a: ' . str_repeat('a', 1000) . "\r\n", 100_000),
        $scenario === 'drip' => pour($connection, "HTTP/1.1 200 OK\r\n\r\n", ' ', 500, 5_000),
        $scenario === 'silent' => $held[] = $connection,
        $scenario === 'drop' => null,
        $scenario === 'kept' && $method === 'POST' => $lost++,
        $scenario === 'kept' => answer($connection, 200, ['id' => 'acct_1', 'lost' => $lost], connection: 'keep-alive')
            && $kept[] = $connection,
        $scenario === 'watch' && $isStream => streamAnswer($connection, [session('pending', 1), session('verified', 3)], '{}'),
        $scenario === 'other' && $isStream => streamAnswer($connection, [['id' => 'vrf_2'] + session('failed', 2)], '{}'),
        $scenario === 'other' => answer($connection, 200, session('verified', 3)),
        $scenario === 'cut' && $isStream => streamAnswer($connection, [session('pending', 1)], null),
        $scenario === 'cut' => answer($connection, 200, session('verified', 3)),
        $scenario === 'late' && $isStream => $late++ > 0 && streamAnswer(
            $connection,
            [['metadata' => (object) []] + session('pending', 1), session('verified', 3)],
            '{}',
        ),
        $scenario === 'late' => answer($connection, 200, ['metadata' => (object) []] + session('pending', 1)),
        $scenario === 'full' && $isStream => streamAnswer($connection, [], FULL),
        $scenario === 'full' => answer($connection, 200, session('verified', 1)),
        $scenario === 'gone' && $isStream => streamAnswer($connection, [], '{"error":{"code":"not_found"}}'),
        $scenario === 'muffled' && $isStream => ($held[] = $connection) && $muffled['streams']++,
        $scenario === 'muffled' => answer(
            $connection,
            200,
            ['run' => $muffled['streams']] + session(++$muffled['calls'] < 4 ? 'pending' : 'verified', 1),
        ),
        $scenario === 'endless' && $isStream => streamAnswer($connection, [session('pending', 1)], null)
            && $held[] = $connection,
        default => answer($connection, 404, ['error' => ['code' => 'session_not_found', 'message' => 'none']]),
    };
    $connection = null;
}

function packed(mixed $connection, string $text): void
{
    $bytes = (string) gzencode($text);
    $head = "HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: " . strlen($bytes);
    @fwrite($connection, "{$head}\r\nconnection: close\r\n\r\n{$bytes}");
}

/** As debugging proxies do: what was sent, in the page and in headers. */
function reflect(mixed $connection, string $sent): void
{
    $key = substr($sent, strlen('Bearer '));
    $body = str_repeat(' ', 1010) . $sent;
    $lines = ["location: https://{$key}:{$key}@elsewhere.example/?{$key}", "x-echo: {$sent}", 'content-length: ' . strlen($body)];
    fwrite($connection, "HTTP/1.1 308 X\r\n" . implode("\r\n", $lines) . "\r\nconnection: close\r\n\r\n{$body}");
}

/** As often as it is told, or until nobody reads any more. */
function pour(mixed $connection, string $head, string $part, int $times, int $microseconds = 0): void
{
    $isRead = fwrite($connection, $head) !== false;
    for ($count = 0; $isRead && $count < $times; $count++) {
        usleep($microseconds);
        $isRead = @fwrite($connection, $part) === strlen($part);
    }
}

/** @return array{string, array<string, string>, string} */
function readRequest(mixed $connection): array
{
    $line = trim((string) fgets($connection));
    $headers = [];
    while (($text = trim((string) fgets($connection))) !== '') {
        [$name, $value] = explode(':', $text, 2);
        $headers[strtolower($name)] = trim($value);
    }
    $length = (int) ($headers['content-length'] ?? 0);
    return [$line, $headers, $length > 0 ? (string) stream_get_contents($connection, $length) : ''];
}

/**
 * @param array<string, mixed> $body
 * @param list<string> $headers
 */
function answer(mixed $socket, int $status, array $body, array $headers = [], string $connection = 'close'): bool
{
    $json = (string) json_encode((object) $body);
    $lines = ["HTTP/1.1 {$status} X", 'content-type: application/json', "connection: {$connection}", 'content-length: ' . strlen($json)];
    return fwrite($socket, implode("\r\n", [...$lines, ...$headers]) . "\r\n\r\n" . $json) > 0;
}

/** @param list<array<string, mixed>> $sessions */
function streamAnswer(mixed $connection, array $sessions, ?string $end): bool
{
    $bytes = '';
    foreach ($sessions as $session) {
        $json = (string) json_encode(['session' => $session, 'new_entries' => $session['timeline']]);
        $bytes .= pack('CN', 0, strlen($json)) . $json;
    }
    if ($end !== null) {
        $bytes .= pack('CN', 2, strlen($end)) . $end;
    }
    fwrite($connection, "HTTP/1.1 200 OK\r\ncontent-type: application/connect+json\r\ntransfer-encoding: chunked\r\n\r\n");
    // In pieces that fit no message, as networks do.
    foreach (str_split($bytes, 7) as $piece) {
        @fwrite($connection, dechex(strlen($piece)) . "\r\n{$piece}\r\n");
    }
    return @fwrite($connection, $end === null ? '' : "0\r\n\r\n") !== false;
}

/** @return array<string, mixed> */
function session(string $status, int $entries): array
{
    $timeline = array_map(static fn (int $n): array => ['kind' => "entry_{$n}"], range(1, $entries));
    return ['id' => 'vrf_1', 'status' => $status, 'timeline' => $timeline];
}
