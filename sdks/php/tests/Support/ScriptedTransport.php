<?php

declare(strict_types=1);

namespace Ramz\Tests\Support;

use Ramz\Http\Request;
use Ramz\Http\Response;
use Ramz\Http\Transport;

/** Answers what it was told, one after another, and keeps what it was asked. */
final class ScriptedTransport implements Transport
{
    public readonly RecordedTiming $timing;
    /** @var list<Request> */
    public array $requests = [];
    /** @var list<float|null> How long the answers take; null: all the time that there is. */
    public array $takes = [];

    /** @param list<Response|\Throwable> $answers */
    public function __construct(private array $answers)
    {
        $this->timing = new RecordedTiming();
    }

    public function send(Request $request): Response
    {
        $this->requests[] = $request;
        $takes = $this->takes === [] ? 0.0 : array_shift($this->takes);
        $this->timing->now += $takes ?? $request->timeout;
        $answer = array_shift($this->answers) ?? throw new \LogicException('one call too many');
        if ($answer instanceof \Throwable) {
            throw $answer;
        }
        return $answer;
    }
}
