<?php

declare(strict_types=1);

namespace Ramz\Laravel\Tests;

use Illuminate\Foundation\PackageManifest;
use Illuminate\Support\Facades\Artisan;
use Ramz\Client;
use Ramz\Error\ConfigurationError;
use Ramz\Laravel\Facades\Ramz;
use Ramz\Laravel\RamzServiceProvider;

final class PackageTest extends TestCase
{
    public function testIsDiscoveredWithItsAlias(): void
    {
        $manifest = $this->app->make(PackageManifest::class);
        self::assertContains(RamzServiceProvider::class, $manifest->providers());
        self::assertSame(Ramz::class, $manifest->aliases()['Ramz'] ?? null);
    }

    public function testItsClientIsMadeOfTheConfiguration(): void
    {
        self::assertSame(Ramz::client(), $this->app->make(Client::class));
        self::assertSame(Ramz::client()->webhookEndpoints, Ramz::webhookEndpoints());
    }

    public function testWithoutAKeyTheApplicationStartsAndTheFirstCallSaysWhatIsMissing(): void
    {
        $this->app['config']->set('ramz.api_key', null);
        $this->expectException(ConfigurationError::class);
        $this->expectExceptionMessage('RAMZ_API_KEY');
        Ramz::verify();
    }

    /** @dataProvider wrongSettings */
    public function testItsSettingsReachTheClient(string $setting, mixed $value, string $complaint): void
    {
        $this->app['config']->set("ramz.{$setting}", $value);
        $this->expectException(ConfigurationError::class);
        $this->expectExceptionMessage($complaint);
        Ramz::client();
    }

    /** @return array<string, array{string, mixed, string}> */
    public static function wrongSettings(): array
    {
        return [
            'timeout' => ['timeout', 0, 'timeout must be'],
            'max_retries' => ['max_retries', -1, 'maxRetries must be'],
            'base_url' => ['base_url', 'ftp://verify.example', 'baseUrl must be'],
            'api_key' => ['api_key', "ramz_test_\n", 'the API key has'],
        ];
    }

    public function testPublishesConfigurationAndTexts(): void
    {
        self::assertSame(0, Artisan::call('vendor:publish', ['--tag' => 'ramz-config']));
        self::assertSame(0, Artisan::call('vendor:publish', ['--tag' => 'ramz-lang']));
        self::assertFileExists($this->app->configPath('ramz.php'));
        self::assertFileExists($this->app->langPath('vendor/ramz/ar/validation.php'));
        self::assertSame('ramz/webhooks', (require $this->app->configPath('ramz.php'))['webhooks']['path']);
    }
}
