<?php

// What public/index.php of a Laravel application does, for `php -S`.

declare(strict_types=1);

require __DIR__ . '/bootstrap.php';

$kernel = $app->make(Illuminate\Contracts\Http\Kernel::class);
$request = Illuminate\Http\Request::capture();
$response = $kernel->handle($request)->send();
$kernel->terminate($request, $response);
