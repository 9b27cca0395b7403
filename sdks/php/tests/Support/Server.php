<?php

declare(strict_types=1);

namespace Ramz\Tests\Support;

/** Runs server.php, or another server beside it, as a process of its own. */
final class Server
{
    public readonly string $url;
    /** @var resource */
    private $process;
    /** @var array<int, resource> */
    private array $pipes = [];

    public function __construct(string $file = 'server.php')
    {
        $command = [PHP_BINARY, __DIR__ . "/{$file}"];
        $this->process = proc_open($command, [['pipe', 'r'], ['pipe', 'w'], STDERR], $this->pipes);
        $this->url = 'http://127.0.0.1:' . trim((string) fgets($this->pipes[1]));
    }

    public function stop(): void
    {
        array_map(fclose(...), $this->pipes);
        proc_close($this->process);
    }
}
