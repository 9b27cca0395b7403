<?php

declare(strict_types=1);

namespace Ramz\Tests;

use PHPUnit\Framework\TestCase;
use Ramz\Testing\SignedWebhook;

/** The receiver of webhooks that the README shows, behind PHP's own web server. Its other programs run elsewhere. */
final class ReadmeTest extends TestCase
{
    private const SECRET = 'whsec_YW4gZXhhbXBsZSBzZWNyZXQgb2YgMzIgYnl0ZXMhISE=';
    private static string $folder;
    private static string $url;
    /** @var resource */
    private static $server;
    /** @var array<int, resource> Open for as long as the server writes. */
    private static array $pipes = [];

    public static function setUpBeforeClass(): void
    {
        self::$folder = sys_get_temp_dir() . '/ramz-readme-' . bin2hex(random_bytes(6));
        mkdir(self::$folder . '/vendor', recursive: true);
        $readme = (string) file_get_contents(dirname(__DIR__) . '/README.md');
        self::assertSame(1, preg_match('/```php file=webhook\.php\n(.*?)```/s', $readme, $found));
        file_put_contents(self::$folder . '/webhook.php', $found[1]);
        $bootstrap = var_export(__DIR__ . '/bootstrap.php', true);
        file_put_contents(self::$folder . '/vendor/autoload.php', "<?php require {$bootstrap};");
        self::$server = self::start();
    }

    /** @return resource */
    private static function start()
    {
        $environment = ['RAMZ_WEBHOOK_SECRET' => self::SECRET] + getenv();
        for ($tries = 0; $tries < 5; $tries++) {
            $probe = stream_socket_server('tcp://127.0.0.1:0');
            $address = (string) stream_socket_get_name($probe, false);
            fclose($probe);
            self::$url = "http://{$address}/";
            $command = [PHP_BINARY, '-d', 'log_errors=0', '-S', $address, self::$folder . '/webhook.php'];
            $quiet = ['file', '/dev/null', 'w'];
            $server = proc_open($command, [['pipe', 'r'], $quiet, ['pipe', 'w']], self::$pipes, self::$folder, $environment);
            // "… Development Server (http://…) started", or that somebody else has got the port meanwhile: then another one.
            if (str_contains((string) fgets(self::$pipes[2]), ' started')) {
                return $server;
            }
            proc_close($server);
        }
        self::fail('the server does not start');
    }

    public static function tearDownAfterClass(): void
    {
        proc_terminate(self::$server);
        proc_close(self::$server);
        unlink(self::$folder . '/webhook.php');
        unlink(self::$folder . '/vendor/autoload.php');
        rmdir(self::$folder . '/vendor');
        rmdir(self::$folder);
    }

    public function testAGenuineWebhookIsTaken(): void
    {
        $webhook = SignedWebhook::make('session.verified', ['session' => ['client_reference' => 'طلب 🙂']], self::SECRET);
        self::assertSame(204, self::post($webhook->body, $webhook->headers));
    }

    public function testATamperedOneIsRefused(): void
    {
        $webhook = SignedWebhook::make('session.verified', [], self::SECRET);
        self::assertSame(400, self::post($webhook->body . ' ', $webhook->headers));
        self::assertSame(400, self::post($webhook->body, []));
    }

    /** @param array<string, string> $headers */
    private static function post(string $body, array $headers): int
    {
        $headers += ['content-type' => 'application/json'];
        $lines = array_map(static fn (string $name): string => "{$name}: {$headers[$name]}", array_keys($headers));
        $http = ['method' => 'POST', 'header' => $lines, 'content' => $body, 'ignore_errors' => true, 'timeout' => 10];
        file_get_contents(self::$url, false, stream_context_create(['http' => $http]));
        return (int) explode(' ', $http_response_header[0])[1];
    }
}
