<?php

// Loads the package as it is installed in RAMZ_PHP_PROJECT (an empty project), else from these sources, and the tests.

declare(strict_types=1);

$project = getenv('RAMZ_PHP_PROJECT');
if ($project !== false && $project !== '') {
    require "{$project}/vendor/autoload.php";
}

spl_autoload_register(static function (string $class) use ($project): void {
    $package = dirname(__DIR__);
    $roots = ['Ramz\\Tests\\' => [__DIR__]];
    if ($project === false || $project === '') {
        $roots['Ramz\\'] = ["{$package}/src", "{$package}/generated"];
    }
    foreach ($roots as $prefix => $folders) {
        foreach (str_starts_with($class, $prefix) ? $folders : [] as $folder) {
            $file = $folder . '/' . strtr(substr($class, strlen($prefix)), '\\', '/') . '.php';
            if (is_file($file)) {
                require $file;
                return;
            }
        }
    }
});
