<?php

declare(strict_types=1);

namespace Ramz\Tests\Support;

use Ramz\Http\CurlTransport;
use Ramz\Http\Request;
use Ramz\Http\Response;
use Ramz\Http\StreamingTransport;

/** The default transport, counted. */
final class CountingTransport implements StreamingTransport
{
    public int $calls = 0;
    public int $streams = 0;
    private readonly CurlTransport $curl;

    public function __construct()
    {
        $this->curl = new CurlTransport();
    }

    public function send(Request $request): Response
    {
        $this->calls++;
        return $this->curl->send($request);
    }

    public function stream(Request $request): \Generator
    {
        $this->streams++;
        return $this->curl->stream($request);
    }
}
