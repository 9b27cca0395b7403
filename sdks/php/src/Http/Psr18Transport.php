<?php

declare(strict_types=1);

namespace Ramz\Http;

use Psr\Http\Client\ClientExceptionInterface;
use Psr\Http\Client\ClientInterface;
use Psr\Http\Message\RequestFactoryInterface;
use Psr\Http\Message\ResponseInterface;
use Psr\Http\Message\StreamFactoryInterface;
use Ramz\Error\ConfigurationError;
use Ramz\Error\NetworkError;
use Ramz\Error\RequestTimeoutError;
use Ramz\Internal\Answers;

/**
 * Any PSR-18 client. PSR-18 knows no timeouts: set them on that client. It does not stream either, so `watch` asks
 * every two seconds instead.
 */
final class Psr18Transport implements Transport
{
    /** Implementations of both factories (PSR-17) that are used where they are installed. */
    private const FACTORIES = ['GuzzleHttp\\Psr7\\HttpFactory', 'Nyholm\\Psr7\\Factory\\Psr17Factory'];

    private readonly ClientInterface $client;

    public function __construct(
        ClientInterface $client,
        private readonly RequestFactoryInterface $requests,
        private readonly StreamFactoryInterface $streams,
    ) {
        $this->client = self::staying($client);
    }

    /** PSR-18 leaves open whether redirects are followed. Symfony's client does, and other hosts get the number and the code. */
    private static function staying(ClientInterface $client): ClientInterface
    {
        // From 6.2 on; an older one has to be made so.
        $isTold = $client instanceof \Symfony\Component\HttpClient\Psr18Client && \method_exists($client, 'withOptions');
        return $isTold ? $client->withOptions(['max_redirects' => 0]) : $client;
    }

    /**
     * Finds the factories by itself.
     *
     * @throws ConfigurationError None is installed.
     */
    public static function around(ClientInterface $client): self
    {
        if ($client instanceof RequestFactoryInterface && $client instanceof StreamFactoryInterface) {
            return new self($client, $client, $client);
        }
        foreach (self::FACTORIES as $class) {
            if (\class_exists($class)) {
                $factory = new $class();
                return new self($client, $factory, $factory);
            }
        }
        throw new ConfigurationError(
            'no PSR-17 factory is installed: give new Psr18Transport($client, $requestFactory, $streamFactory)',
        );
    }

    public function send(#[\SensitiveParameter] Request $request): Response
    {
        $message = $this->requests->createRequest($request->method, $request->url);
        foreach ($request->headers as $name => $value) {
            $message = $message->withHeader($name, $value);
        }
        if ($request->body !== null) {
            $message = $message->withBody($this->streams->createStream($request->body));
        }
        try {
            $answer = $this->client->sendRequest($message);
            $headers = [];
            foreach (\array_keys($answer->getHeaders()) as $name) {
                $headers[(string) $name] = $answer->getHeaderLine((string) $name);
            }
            return new Response($answer->getStatusCode(), $headers, self::bodyOf($answer));
        } catch (ClientExceptionInterface $error) {
            // Not as `previous`: the exception holds the request, and that the key.
            throw self::failure($error);
        }
    }

    /** Not more of it than an answer may have: a client that streams leaves the rest. */
    private static function bodyOf(ResponseInterface $answer): string
    {
        $stream = $answer->getBody();
        if ($stream->isSeekable()) {
            $stream->rewind();
        }
        $body = '';
        while (!$stream->eof()) {
            try {
                $part = $stream->read(65_536);
            } catch (\RuntimeException $error) {
                throw new NetworkError('the answer broke off: ' . self::withoutPaths($error->getMessage()));
            }
            if ($part === '' && !$stream->eof()) {
                throw new NetworkError('the answer broke off');
            }
            $body .= $part;
            if (\strlen($body) > Answers::MOST_BYTES) {
                $stream->close();
                throw Answers::tooLarge($answer->getStatusCode());
            }
        }
        return $body;
    }

    /** PSR-18 does not tell a timeout from other failures; the clients do, each in its way. */
    private static function failure(#[\SensitiveParameter] ClientExceptionInterface $error): NetworkError
    {
        $context = \method_exists($error, 'getHandlerContext') ? $error->getHandlerContext() : [];
        $message = self::withoutPaths($error->getMessage());
        $isTimeout = ($context['errno'] ?? null) === 28 || \preg_match('/timed? ?out|timeout/i', $message) === 1;
        return $isTimeout ? new RequestTimeoutError($message) : new NetworkError($message);
    }

    /**
     * Guzzle and Symfony name the whole address. The query of a list and the path of an erasure hold a phone number, so
     * nothing is left of an address but scheme, host and port.
     */
    private static function withoutPaths(string $text): string
    {
        return (string) \preg_replace_callback(
            '~(https?://)(?:[^\s/?#]*@)?([\w.:\[\]-]*)(\S*?)(["\'),.:;>\]}]*)(?!\S)~i',
            static fn (array $part): string => $part[1] . $part[2] . ($part[3] === '' ? '' : '/…') . $part[4],
            $text,
        );
    }
}
