<?php

declare(strict_types=1);

namespace Ramz\Laravel\Tests;

use Illuminate\Config\Repository;
use Illuminate\Foundation\Application;
use Illuminate\Foundation\PackageManifest;
use Illuminate\Foundation\Testing\TestCase as LaravelTestCase;
use Monolog\Handler\NullHandler;

/** An application that has nothing but the framework and this package, found as Laravel finds packages. */
abstract class TestCase extends LaravelTestCase
{
    protected const SECRET = 'whsec_YW4gZXhhbXBsZSBzZWNyZXQgb2YgMzIgYnl0ZXMhISE=';

    /** @var array<string, mixed> */
    protected array $config = [];

    private string $folder = '';

    public function createApplication(): Application
    {
        $this->folder = \sys_get_temp_dir() . '/ramz-laravel-' . \bin2hex(\random_bytes(6));
        foreach (['bootstrap/cache', 'config', 'lang', 'storage/framework/views', 'resources/views'] as $name) {
            \mkdir("{$this->folder}/{$name}", 0700, true);
        }
        // What Composer installed, for package discovery to find.
        \symlink(\getenv('RAMZ_LARAVEL_PROJECT') . '/vendor', "{$this->folder}/vendor");
        $app = new Application($this->folder);
        $app->instance('config', new Repository($this->settings()));
        $app->detectEnvironment(static fn (): string => 'testing');
        $app->singleton(\Illuminate\Contracts\Http\Kernel::class, Fixtures\Kernel::class);
        $app->singleton(\Illuminate\Contracts\Console\Kernel::class, \Illuminate\Foundation\Console\Kernel::class);
        $app->singleton(
            \Illuminate\Contracts\Debug\ExceptionHandler::class,
            \Illuminate\Foundation\Exceptions\Handler::class,
        );
        $app->bootstrapWith([
            \Illuminate\Foundation\Bootstrap\RegisterFacades::class,
            \Illuminate\Foundation\Bootstrap\SetRequestForConsole::class,
        ]);
        foreach ([...self::FRAMEWORK, ...$app->make(PackageManifest::class)->providers()] as $provider) {
            $app->register($provider);
        }
        $app->boot();
        return $app;
    }

    protected function tearDown(): void
    {
        $folder = $this->folder;
        parent::tearDown();
        if ($folder !== '') {
            (new \Illuminate\Filesystem\Filesystem())->deleteDirectory($folder);
        }
    }

    private const FRAMEWORK = [
        \Illuminate\Filesystem\FilesystemServiceProvider::class,
        \Illuminate\Database\DatabaseServiceProvider::class,
        \Illuminate\Translation\TranslationServiceProvider::class,
        \Illuminate\Validation\ValidationServiceProvider::class,
        \Illuminate\Cache\CacheServiceProvider::class,
        \Illuminate\Queue\QueueServiceProvider::class,
        \Illuminate\Bus\BusServiceProvider::class,
        \Illuminate\View\ViewServiceProvider::class,
        \Illuminate\Notifications\NotificationServiceProvider::class,
        \Illuminate\Foundation\Providers\ConsoleSupportServiceProvider::class,
        \Illuminate\Foundation\Providers\FoundationServiceProvider::class,
    ];

    /** @return array<string, mixed> */
    private function settings(): array
    {
        return [
            'app' => [
                'env' => 'testing', 'debug' => false, 'url' => 'http://localhost', 'timezone' => 'UTC',
                'locale' => 'en', 'fallback_locale' => 'en',
                'key' => 'base64:' . \base64_encode(\str_repeat('a', 32)), 'cipher' => 'AES-256-CBC',
            ],
            'cache' => ['default' => 'array', 'stores' => ['array' => ['driver' => 'array']]],
            'logging' => [
                'default' => 'null',
                'channels' => ['null' => ['driver' => 'monolog', 'handler' => NullHandler::class]],
            ],
            'view' => [
                'paths' => ["{$this->folder}/resources/views"],
                'compiled' => "{$this->folder}/storage/framework/views",
            ],
            'database' => ['default' => 'none', 'connections' => []],
            'queue' => ['default' => 'sync', 'connections' => ['sync' => ['driver' => 'sync']]],
            'ramz' => $this->config + [
                'api_key' => 'ramz_test_key',
                'base_url' => 'https://ramz.invalid',
                'webhooks' => ['path' => 'ramz/webhooks', 'secret' => self::SECRET],
            ],
        ];
    }
}
