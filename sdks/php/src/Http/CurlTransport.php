<?php

declare(strict_types=1);

namespace Ramz\Http;

use Ramz\Error\ConfigurationError;
use Ramz\Error\NetworkError;
use Ramz\Error\RequestTimeoutError;
use Ramz\Internal\Answers;
use Ramz\Internal\Ascii;

/** The default transport: PHP's curl extension. Connections are kept, and used again for what may be repeated. */
final class CurlTransport implements StreamingTransport
{
    /** A stream that says nothing for so long is taken for dead. */
    private const IDLE_SECONDS = 60.0;
    /** Of all headers together. */
    private const MOST_HEADER_BYTES = 256 * 1024;

    private ?\CurlHandle $handle = null;
    private int $process = 0;

    /**
     * @param array<int, mixed> $options More options of curl by their constants, e.g. `[CURLOPT_PROXY => '…']` or
     *   `[CURLOPT_CAINFO => '…']`. Those that the client sets itself win.
     *
     * @throws ConfigurationError The extension is missing, or curl does not take an option.
     */
    public function __construct(private readonly array $options = [])
    {
        if (!\function_exists('curl_init')) {
            throw new ConfigurationError(
                'the curl extension is missing: install it, or give a PSR-18 client as httpClient',
            );
        }
        self::check($options);
    }

    /**
     * Curl leaves out an option that it does not take, and all that follow it, such as a proxy: calls would go past it.
     *
     * @param array<int, mixed> $options
     */
    private static function check(#[\SensitiveParameter] array $options): void
    {
        $handle = \curl_init();
        foreach ($options as $option => $value) {
            try {
                $isTaken = \curl_setopt($handle, $option, $value);
            } catch (\ValueError | \TypeError) {
                $isTaken = false;
            }
            if (!$isTaken) {
                $names = \array_keys(\get_defined_constants(true)['curl'], $option, true);
                $name = \implode(' or ', \preg_grep('/^CURLOPT_/', $names) ?: [(string) $option]);
                throw new ConfigurationError("curl does not take the value of the option {$name}, or was built without it");
            }
        }
    }

    public function send(#[\SensitiveParameter] Request $request): Response
    {
        $handle = $this->take();
        $headers = [];
        $headerBytes = 0;
        $body = '';
        \curl_setopt_array($handle, $this->optionsOf($request, [
            // Without, any coding would be acceptable by RFC 9110, and read as it came. All that curl was built with.
            \CURLOPT_ENCODING => '',
            \CURLOPT_TIMEOUT_MS => self::milliseconds($request->timeout),
            \CURLOPT_HEADERFUNCTION => static function ($_, string $line) use (&$headers, &$headerBytes): int {
                self::readHeader($headers, $line);
                $headerBytes += \strlen($line);
                return $headerBytes > self::MOST_HEADER_BYTES ? 0 : \strlen($line);
            },
            // Another number than the length of what came ends the transfer.
            \CURLOPT_WRITEFUNCTION => static function ($_, string $bytes) use (&$body): int {
                $body .= $bytes;
                return \strlen($body) > Answers::MOST_BYTES ? 0 : \strlen($bytes);
            },
        ]));
        $isWhole = \curl_exec($handle);
        if ($isWhole === true) {
            // No other is put back: curl keeps a connection of HTTP/2 whose answer did not come in time, and were its host gone, each
            // call would go down it until the system gives it up, after a quarter of an hour.
            $this->handle = $handle;
        }
        $status = (int) \curl_getinfo($handle, \CURLINFO_RESPONSE_CODE);
        if ($headerBytes > self::MOST_HEADER_BYTES || \strlen($body) > Answers::MOST_BYTES) {
            throw Answers::tooLarge($status);
        }
        if ($isWhole !== true) {
            throw self::failure(\curl_errno($handle), \curl_error($handle));
        }
        return new Response($status, $headers, $body);
    }

    public function stream(#[\SensitiveParameter] Request $request): \Generator
    {
        $handle = \curl_init();
        $buffer = '';
        $headers = [];
        $headerBytes = 0;
        $isAnswered = false;
        \curl_setopt_array($handle, $this->optionsOf($request, [
            \CURLOPT_TCP_KEEPALIVE => 1,
            \CURLOPT_HEADERFUNCTION => static function ($_, string $line) use (&$headers, &$headerBytes): int {
                self::readHeader($headers, $line);
                $headerBytes += \strlen($line);
                return $headerBytes > self::MOST_HEADER_BYTES ? 0 : \strlen($line);
            },
            \CURLOPT_WRITEFUNCTION => static function ($_, string $bytes) use (&$buffer): int {
                $buffer .= $bytes;
                return \strlen($bytes);
            },
        ]));
        $multi = \curl_multi_init();
        \curl_multi_add_handle($multi, $handle);
        try {
            $silentSince = \hrtime(true) / 1e9;
            $patience = $request->timeout;
            do {
                \curl_multi_exec($multi, $running);
                if (!$isAnswered && ($buffer !== '' || ($running === 0 && $headers !== []))) {
                    $isAnswered = true;
                    ($request->answered ?? static fn () => null)((int) \curl_getinfo($handle, \CURLINFO_RESPONSE_CODE), $headers);
                }
                if ($buffer !== '') {
                    [$bytes, $buffer] = [$buffer, ''];
                    yield $bytes;
                    // Anew: whoever reads may have taken their time.
                    $silentSince = \hrtime(true) / 1e9;
                    $patience = \max(self::IDLE_SECONDS, $request->timeout);
                } elseif ($running > 0) {
                    if (\hrtime(true) / 1e9 - $silentSince > $patience) {
                        throw new RequestTimeoutError('nothing came over the stream for too long');
                    }
                    if (\curl_multi_select($multi, 0.5) === -1) {
                        \usleep(10_000); // There is nothing to wait on yet.
                    }
                }
            } while ($running > 0 || $buffer !== '');
            $end = \curl_multi_info_read($multi);
            if (\is_array($end) && $end['result'] !== \CURLE_OK) {
                throw self::failure($end['result'], \curl_error($handle));
            }
        } finally {
            \curl_multi_remove_handle($multi, $handle);
            \curl_multi_close($multi);
        }
    }

    /**
     * The handle, which nobody else gets until it is put back: where fibers or coroutines take turns, each call has its own. A
     * connection can't be shared with a forked process either.
     */
    private function take(): \CurlHandle
    {
        $handle = $this->process === \getmypid() ? $this->handle : null;
        [$this->handle, $this->process] = [null, (int) \getmypid()];
        $handle ??= \curl_init();
        \curl_reset($handle);
        return $handle;
    }

    /**
     * Curl takes them one after another, and some have a second name, as the time limit has in seconds. So the client's own come
     * last; but for the time to connect, which the caller may shorten.
     *
     * @param array<int, mixed> $own Of this kind of request.
     *
     * @return array<int, mixed>
     */
    private function optionsOf(#[\SensitiveParameter] Request $request, array $own): array
    {
        // An empty value takes away what curl would add by itself.
        $lines = isset($request->headers['content-type']) ? ['expect:'] : ['expect:', 'content-type:'];
        foreach ($request->headers as $name => $value) {
            $lines[] = "{$name}: {$value}";
        }
        $body = $request->body === null ? [] : [\CURLOPT_POSTFIELDS => $request->body];
        // On a connection that it uses again, and that ends before a byte of the answer, curl sends any request once more.
        $fresh = $request->isRepeatable ? [] : [\CURLOPT_FRESH_CONNECT => true];
        $own += [
            \CURLOPT_URL => $request->url,
            \CURLOPT_CUSTOMREQUEST => $request->method,
            \CURLOPT_HTTPHEADER => $lines,
            \CURLOPT_HEADER => false,
            \CURLOPT_FAILONERROR => false,
            \CURLOPT_FOLLOWLOCATION => false,
            \CURLOPT_PROTOCOLS => \CURLPROTO_HTTP | \CURLPROTO_HTTPS,
            \CURLOPT_NOSIGNAL => true,
        ] + $body + $fresh;
        $connecting = [\CURLOPT_CONNECTTIMEOUT_MS => self::milliseconds($request->timeout)];
        return \array_diff_key(\array_replace($connecting, $this->options), $own) + $own;
    }

    /** @param array<string, string> $headers */
    private static function readHeader(array &$headers, string $line): void
    {
        if (\str_starts_with($line, 'HTTP/')) {
            $headers = []; // An interim answer (100, 103) has headers of its own.
        }
        $parts = \explode(':', $line, 2);
        if (\count($parts) === 2) {
            $headers[Ascii::lower(\trim($parts[0]))] = \trim($parts[1]);
        }
    }

    private static function failure(int $number, string $message): NetworkError
    {
        $text = $message !== '' ? $message : (string) \curl_strerror($number);
        return $number === \CURLE_OPERATION_TIMEDOUT ? new RequestTimeoutError($text) : new NetworkError($text);
    }

    private static function milliseconds(float $seconds): int
    {
        // 24 days: what is longer overflows on some machines.
        return (int) \max(1, \min(\round($seconds * 1000), 2_147_483_647));
    }
}
