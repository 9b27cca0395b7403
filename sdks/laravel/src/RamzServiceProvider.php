<?php

declare(strict_types=1);

namespace Ramz\Laravel;

use Illuminate\Contracts\Container\Container;
use Illuminate\Notifications\ChannelManager;
use Illuminate\Support\Facades\Notification;
use Illuminate\Support\ServiceProvider;
use Ramz\Client;
use Ramz\Error\ConfigurationError;
use Ramz\Laravel\Events\ResponseReceived;
use Ramz\Laravel\Http\VerifyWebhookSignature;
use Ramz\Laravel\Http\WebhookController;
use Ramz\Laravel\Notifications\RamzChannel;
use Ramz\Laravel\Rules\RamzCode;
use Ramz\ResponseInfo;

/** Everything the package puts into an application. */
final class RamzServiceProvider extends ServiceProvider
{
    public function register(): void
    {
        $this->mergeConfigFrom(__DIR__ . '/../config/ramz.php', 'ramz');
        $this->app->singleton(RamzManager::class, static fn (Container $app): RamzManager => new RamzManager(
            static fn (): Client => self::client((array) $app->make('config')->get('ramz'), self::dispatcher($app)),
        ));
        // For constructors: the same client, the fake's while there is one.
        $this->app->bind(Client::class, static fn (Container $app): Client => $app->make(RamzManager::class)->client());
        Notification::resolved(static function (ChannelManager $channels): void {
            $channels->extend('ramz', static fn (Container $app): RamzChannel => $app->make(RamzChannel::class));
        });
    }

    public function boot(): void
    {
        $this->loadTranslationsFrom(__DIR__ . '/../lang', 'ramz');
        $this->app->make('router')->aliasMiddleware('ramz.webhook', VerifyWebhookSignature::class);
        $this->callAfterResolving('validator', static fn ($validators) => RamzCode::register($validators));
        $this->registerRoute();
        if ($this->app->runningInConsole()) {
            $this->publishes([__DIR__ . '/../config/ramz.php' => $this->app->configPath('ramz.php')], 'ramz-config');
            // Not langPath('vendor/ramz'): in Laravel 8 it takes no path, and the texts went beside the application's own.
            $this->publishes([__DIR__ . '/../lang' => $this->app->langPath() . '/vendor/ramz'], 'ramz-lang');
        }
    }

    private function registerRoute(): void
    {
        $config = (array) $this->app->make('config')->get('ramz.webhooks');
        $path = $config['path'] ?? null;
        if (!\is_string($path) || $path === '' || $this->app->routesAreCached()) {
            return;
        }
        // Outside the group `web`: a webhook has no session and no CSRF token, its signature takes their place.
        $this->app->make('router')
            ->post($path, WebhookController::class)
            ->middleware([...(array) ($config['middleware'] ?? []), VerifyWebhookSignature::class])
            ->name('ramz.webhooks');
    }

    /** Looked up at each response: tests replace it. */
    private static function dispatcher(Container $app): \Closure
    {
        return static fn (ResponseInfo $response) => $app->make('events')->dispatch(new ResponseReceived($response));
    }

    /** @param array<string, mixed> $config */
    private static function client(#[\SensitiveParameter] array $config, \Closure $onResponse): Client
    {
        // Not null: what the configuration leaves empty must not be found elsewhere behind its back.
        return new Client(
            apiKey: (string) ($config['api_key'] ?? ''),
            baseUrl: (string) ($config['base_url'] ?? ''),
            timeout: self::number($config, 'timeout') ?? 10.0,
            maxRetries: (int) (self::number($config, 'max_retries') ?? 2),
            totalTimeout: self::number($config, 'total_timeout'),
            headers: (array) ($config['headers'] ?? []),
            userAgent: 'ramz-laravel/' . Client::VERSION,
            onResponse: $onResponse,
        );
    }

    /**
     * Null: the setting is not given. A line of .env without a value is an empty text, which a cast makes 0.
     *
     * @param array<string, mixed> $config
     */
    private static function number(#[\SensitiveParameter] array $config, string $name): ?float
    {
        $value = $config[$name] ?? '';
        if ($value === '') {
            return null;
        }
        return \is_numeric($value) ? (float) $value : throw new ConfigurationError("ramz.{$name} must be a number");
    }
}
