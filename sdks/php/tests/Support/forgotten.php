<?php

// A server of HTTP/2 on a loopback port that it prints. Its first connection is forgotten after one answer, as where a host loses
// its power or a firewall its table: it stays open, and whatever is sent down it vanishes. Ends when its standard input does.

declare(strict_types=1);

const PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
const DATA = 0;
const HEADERS = 1;
const SETTINGS = 4;
const END_STREAM = 1;
const END_HEADERS = 4;
const BODY = '{"id":"vrf_1"}';
/** `:status: 200` in HPACK's static table. */
const OK = "\x88";

$key = openssl_pkey_new(['private_key_type' => OPENSSL_KEYTYPE_EC, 'curve_name' => 'prime256v1']);
$certificate = openssl_csr_sign(openssl_csr_new(['commonName' => 'localhost'], $key), null, $key, 1);
openssl_x509_export($certificate, $chain);
openssl_pkey_export($key, $secret);
$file = tempnam(sys_get_temp_dir(), 'ramz');
file_put_contents($file, $chain . $secret);
// curl speaks HTTP/2 of itself only where TLS agrees on it.
$context = stream_context_create(['ssl' => ['local_cert' => $file, 'alpn_protocols' => 'h2']]);
$server = stream_socket_server('tcp://127.0.0.1:0', context: $context);
echo explode(':', (string) stream_socket_get_name($server, false))[1], "\n";

$connections = [];
$unread = [];
$isForgotten = false;

while (true) {
    $ready = [$server, STDIN, ...$connections];
    $none = null;
    stream_select($ready, $none, $none, null);
    if (in_array(STDIN, $ready, true)) {
        unlink($file);
        exit(0);
    }
    if (in_array($server, $ready, true)) {
        $connection = stream_socket_accept($server);
        if (stream_socket_enable_crypto($connection, true, STREAM_CRYPTO_METHOD_TLS_SERVER)) {
            stream_get_contents($connection, strlen(PREFACE));
            stream_set_blocking($connection, false);
            fwrite($connection, frame(SETTINGS, 0, 0, ''));
            $connections[] = $connection;
            $unread[] = '';
        }
        continue;
    }
    $number = array_search(end($ready), $connections, true);
    // All of it: no select tells of what OpenSSL has read ahead.
    while (($bytes = (string) fread($connections[$number], 8192)) !== '') {
        $unread[$number] .= $bytes;
    }
    foreach (requests($unread[$number]) as $stream) {
        if ($number > 0 || !$isForgotten) {
            fwrite($connections[$number], frame(HEADERS, END_HEADERS, $stream, OK) . frame(DATA, END_STREAM, $stream, BODY));
            $isForgotten = true;
        }
    }
    if (feof($connections[$number])) {
        unset($connections[$number]);
    }
}

/** RFC 9113, section 4.1. */
function frame(int $type, int $flags, int $stream, string $payload): string
{
    return substr(pack('N', strlen($payload)), 1) . pack('CCN', $type, $flags, $stream) . $payload;
}

/**
 * The streams whose requests have come. Takes whole frames away.
 *
 * @return list<int>
 */
function requests(string &$unread): array
{
    $streams = [];
    while (strlen($unread) >= 9) {
        $head = (array) unpack('Chigh/nlow/Ctype/Cflags/Nstream', $unread);
        $length = 9 + ($head['high'] << 16 | $head['low']);
        if (strlen($unread) < $length) {
            break;
        }
        $unread = substr($unread, $length);
        if ($head['type'] === HEADERS) {
            $streams[] = $head['stream'];
        }
    }
    return $streams;
}
