<?php

// A Laravel application around what is in RAMZ_LARAVEL_PROJECT: its vendor folder and, if there are, app/ and routes/.
// What `composer create-project laravel/laravel` would bring, as far as snippets and the example need it, on Debian's
// Laravel (php-laravel-framework), which is no Composer package.

declare(strict_types=1);

use Illuminate\Config\Repository;
use Illuminate\Foundation\Application;
use Illuminate\Foundation\PackageManifest;

// Laravel 8 says things that PHP 8.2 no longer likes.
error_reporting(E_ALL & ~E_DEPRECATED & ~E_USER_DEPRECATED);

$project = (string) getenv('RAMZ_LARAVEL_PROJECT');
require "{$project}/vendor/autoload.php";
require '/usr/share/php/Illuminate/autoload.php';
if (is_file('/usr/share/php/PHPUnit/Autoload.php')) {
    require '/usr/share/php/PHPUnit/Autoload.php'; // for the assertions of fakes
}
spl_autoload_register(static function (string $class) use ($project): void {
    $path = strtr($class, '\\', '/') . '.php';
    // Debian ships Foundation without an autoloader.
    $file = match (true) {
        str_starts_with($class, 'Illuminate\\Foundation\\') => "/usr/share/php/{$path}",
        str_starts_with($class, 'App\\') => "{$project}/app/" . substr($path, strlen('App/')),
        default => '',
    };
    if (is_file($file)) {
        require $file;
    }
});

$folders = ['bootstrap/cache', 'config', 'resources/views', 'storage/framework/views', 'storage/framework/sessions'];
foreach ($folders as $name) {
    if (!is_dir("{$project}/{$name}")) {
        mkdir("{$project}/{$name}", 0700, true);
    }
}

$app = new Application($project);
$app->instance('config', new Repository([
    'app' => [
        'env' => 'local', 'debug' => true, 'url' => 'http://localhost', 'timezone' => 'UTC',
        'locale' => 'en', 'fallback_locale' => 'en',
        'key' => 'base64:' . base64_encode(str_repeat('a', 32)), 'cipher' => 'AES-256-CBC',
    ],
    'cache' => [
        'default' => 'file', 'prefix' => '',
        'stores' => ['file' => ['driver' => 'file', 'path' => "{$project}/storage/framework/cache"]],
    ],
    'session' => [
        'driver' => 'file', 'lifetime' => 120, 'expire_on_close' => false, 'encrypt' => false,
        'files' => "{$project}/storage/framework/sessions", 'lottery' => [0, 100],
        'cookie' => 'session', 'path' => '/', 'domain' => null,
        'secure' => false, 'http_only' => true, 'same_site' => 'lax',
    ],
    'logging' => [
        'default' => 'stdout',
        'channels' => ['stdout' => [
            'driver' => 'monolog',
            'handler' => Monolog\Handler\StreamHandler::class,
            'with' => ['stream' => getenv('RAMZ_LARAVEL_LOG') ?: 'php://stderr'],
        ]],
    ],
    'view' => ['paths' => ["{$project}/resources/views"], 'compiled' => "{$project}/storage/framework/views"],
    'database' => ['default' => 'none', 'connections' => []],
    'queue' => ['default' => 'sync', 'connections' => ['sync' => ['driver' => 'sync']]],
]));
$app->detectEnvironment(static fn (): string => 'local');

$kernel = static fn ($app) => new class ($app, $app['router']) extends Illuminate\Foundation\Http\Kernel {
    protected $middlewareGroups = ['web' => [
        Illuminate\Cookie\Middleware\EncryptCookies::class,
        Illuminate\Cookie\Middleware\AddQueuedCookiesToResponse::class,
        Illuminate\Session\Middleware\StartSession::class,
        Illuminate\Routing\Middleware\SubstituteBindings::class,
    ]];
};
$app->singleton(Illuminate\Contracts\Http\Kernel::class, $kernel);
$app->singleton(Illuminate\Contracts\Console\Kernel::class, Illuminate\Foundation\Console\Kernel::class);
$app->singleton(Illuminate\Contracts\Debug\ExceptionHandler::class, Illuminate\Foundation\Exceptions\Handler::class);
$app->bootstrapWith([
    Illuminate\Foundation\Bootstrap\RegisterFacades::class,
    Illuminate\Foundation\Bootstrap\SetRequestForConsole::class,
]);
$providers = [
    Illuminate\Filesystem\FilesystemServiceProvider::class,
    Illuminate\Database\DatabaseServiceProvider::class,
    Illuminate\Encryption\EncryptionServiceProvider::class,
    Illuminate\Translation\TranslationServiceProvider::class,
    Illuminate\Validation\ValidationServiceProvider::class,
    Illuminate\Cache\CacheServiceProvider::class,
    Illuminate\Cookie\CookieServiceProvider::class,
    Illuminate\Session\SessionServiceProvider::class,
    Illuminate\Queue\QueueServiceProvider::class,
    Illuminate\Bus\BusServiceProvider::class,
    Illuminate\View\ViewServiceProvider::class,
    Illuminate\Notifications\NotificationServiceProvider::class,
    Illuminate\Foundation\Providers\FoundationServiceProvider::class,
    ...$app->make(PackageManifest::class)->providers(),
    ...(is_file("{$project}/app/Providers/AppServiceProvider.php") ? ['App\\Providers\\AppServiceProvider'] : []),
];
foreach ($providers as $provider) {
    $app->register($provider);
}
$app->boot();
if (is_file("{$project}/routes/web.php")) {
    $app['router']->middleware('web')->group("{$project}/routes/web.php");
    $app['router']->getRoutes()->refreshNameLookups();
}
