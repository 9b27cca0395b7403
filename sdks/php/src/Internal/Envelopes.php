<?php

declare(strict_types=1);

namespace Ramz\Internal;

use Ramz\Error\NetworkError;

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
     * @throws NetworkError It is no such stream, was cut off, or ended with an error.
     */
    public static function read(iterable $chunks): \Generator
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
}
