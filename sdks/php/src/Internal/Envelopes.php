<?php

declare(strict_types=1);

namespace Ramz\Internal;

use Ramz\Error\NetworkError;
use Ramz\Error\RateLimitError;
use Ramz\Http\Response;
use Ramz\Value\ErrorCode;

/**
 * Messages of a stream of Connect: a byte of flags, four of length (big-endian), JSON. The last one has the flag 2 and
 * holds no message but, at times, an error.
 *
 * @internal
 */
final class Envelopes
{
    private const END = 2;
    private const MOST_BYTES = 16 * 1024 * 1024;

    public static function write(string $json): string
    {
        return \pack('CN', 0, \strlen($json)) . $json;
    }

    /**
     * @param iterable<string> $chunks
     *
     * @return \Generator<int, array<mixed>>
     *
     * @throws NetworkError It is no such stream, was cut off, or ended with an error that a call will tell in full.
     * @throws RateLimitError The account watches too many sessions.
     * @throws Mismatch
     */
    public static function read(iterable $chunks, Secret $key): \Generator
    {
        $buffer = '';
        foreach ($chunks as $chunk) {
            $buffer .= $chunk;
            while (\strlen($buffer) >= 5) {
                ['flags' => $flags, 'length' => $length] = \unpack('Cflags/Nlength', $buffer);
                if (($flags !== 0 && $flags !== self::END) || $length > self::MOST_BYTES) {
                    throw new NetworkError('the answer is not a stream');
                }
                if (\strlen($buffer) < 5 + $length) {
                    break;
                }
                $data = \json_decode(\substr($buffer, 5, $length), true);
                $buffer = \substr($buffer, 5 + $length);
                if (!\is_array($data) || isset($data['error'])) {
                    self::refuse(\is_array($data) ? $data : [], $key);
                    throw new NetworkError('the stream ended with an error');
                }
                if ($flags === self::END) {
                    return;
                }
                yield $data;
            }
        }
        throw new NetworkError('the stream was cut off');
    }

    /**
     * Throws the one refusal that no call repeats: a session may be read where it may not be watched.
     *
     * @param array<mixed> $end
     *
     * @throws RateLimitError
     * @throws Mismatch
     */
    private static function refuse(array $end, Secret $key): void
    {
        $error = Json::map($end, 'error');
        $firstFields = [];
        foreach (Json::list($error, 'details') as $detail) {
            $detail = Json::map(['detail' => $detail], 'detail');
            // Protobuf: the first field of an ErrorInfo is the code, that of a RequestInfo the id. Both are short texts.
            $bytes = (string) \base64_decode(Json::text($detail, 'value'));
            $firstFields[Json::text($detail, 'type')] = \substr($bytes, 2, \ord($bytes[1] ?? "\0"));
        }
        if (($firstFields['google.rpc.ErrorInfo'] ?? '') !== ErrorCode::TOO_MANY_WATCHES) {
            return;
        }
        $wait = Json::list(Json::map($end, 'metadata'), 'retry-after')[0] ?? '';
        $headers = ['retry-after' => \is_string($wait) ? $wait : ''];
        $body = ['error' => [
            'code' => ErrorCode::TOO_MANY_WATCHES,
            'message' => Json::text($error, 'message'),
            'request_id' => $firstFields['google.rpc.RequestInfo'] ?? '',
        ]];
        Answers::read(new Response(429, $headers, (string) \json_encode($body)), $key, [], static fn () => null);
    }
}
