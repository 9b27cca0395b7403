<?php

// Loads the package as it is installed in RAMZ_LARAVEL_PROJECT, and Laravel: the project's own, else Debian's package
// (php-laravel-framework), which is not a Composer package and needs some help.

declare(strict_types=1);

// Laravel 8 says things that PHP 8.2 no longer likes.
error_reporting(E_ALL & ~E_DEPRECATED & ~E_USER_DEPRECATED);

$project = getenv('RAMZ_LARAVEL_PROJECT');
if ($project === false || !is_file("{$project}/vendor/autoload.php")) {
    fwrite(STDERR, "RAMZ_LARAVEL_PROJECT must name a project with this package: npm test -- sdk-laravel\n");
    exit(1);
}
require "{$project}/vendor/autoload.php";

if (!class_exists(Illuminate\Foundation\Application::class)) {
    require '/usr/share/php/Illuminate/autoload.php';
    spl_autoload_register(static function (string $class): void {
        $file = '/usr/share/php/' . strtr($class, '\\', '/') . '.php';
        // Debian ships Foundation without an autoloader.
        if (str_starts_with($class, 'Illuminate\\Foundation\\') && is_file($file)) {
            require $file;
        }
    });
}

spl_autoload_register(static function (string $class): void {
    $prefix = 'Ramz\\Laravel\\Tests\\';
    $file = __DIR__ . '/' . strtr(substr($class, strlen($prefix)), '\\', '/') . '.php';
    if (str_starts_with($class, $prefix) && is_file($file)) {
        require $file;
    }
});
