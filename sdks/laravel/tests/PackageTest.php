<?php

declare(strict_types=1);

namespace Ramz\Laravel\Tests;

use Illuminate\Filesystem\Filesystem;
use Illuminate\Foundation\PackageManifest;
use Illuminate\Support\Facades\Artisan;
use Illuminate\Support\Facades\Event;
use PHPUnit\Framework\Attributes\DataProvider;
use Ramz\CallOptions;
use Ramz\Client;
use Ramz\Error\ConfigurationError;
use Ramz\Error\NetworkError;
use Ramz\Internal\Caller;
use Ramz\Internal\Course;
use Ramz\Laravel\Events\ResponseReceived;
use Ramz\Laravel\Facades\Ramz;
use Ramz\Laravel\Internal\FacadeMethods;
use Ramz\Laravel\RamzManager;
use Ramz\Laravel\RamzServiceProvider;
use Ramz\Laravel\Rules\RamzCode;
use Ramz\Resource\VerifyResource;

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
    #[DataProvider('wrongSettings')]
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
            'total_timeout' => ['total_timeout', 0.0, 'totalTimeout must be'],
            'headers' => ['headers', ['Authorization' => 'x'], 'Authorization is set'],
            'max_retries' => ['max_retries', -1, 'maxRetries must be'],
            'max_retries in words' => ['max_retries', 'two', 'ramz.max_retries must be a number'],
            'base_url' => ['base_url', 'ftp://verify.example', 'baseUrl must be'],
            'api_key' => ['api_key', "ramz_test_\n", 'the API key has'],
        ];
    }

    public function testALongerTimeoutIsNotCutByADefault(): void
    {
        $this->app['config']->set('ramz.timeout', 30);
        $caller = (new \ReflectionProperty(VerifyResource::class, 'caller'))->getValue(Ramz::verify());
        $settings = (new \ReflectionProperty(Caller::class, 'settings'))->getValue($caller);
        self::assertSame(30.0, (new Course($settings, null))->totalTimeout);
    }

    public function testALineOfTheEnvironmentWithoutAValueIsAsIfItWereNotThere(): void
    {
        $names = ['RAMZ_TIMEOUT' => '5', 'RAMZ_TOTAL_TIMEOUT' => '7', 'RAMZ_MAX_RETRIES' => '1'];
        $read = function (array $environment): array {
            try {
                $_SERVER = $environment + $_SERVER;
                $config = require \dirname(__DIR__) . '/config/ramz.php';
            } finally {
                $_SERVER = \array_diff_key($_SERVER, $environment);
            }
            foreach (['timeout', 'total_timeout', 'max_retries'] as $name) {
                $this->app['config']->set("ramz.{$name}", $config[$name]);
            }
            $this->app->forgetInstance(RamzManager::class);
            $verify = $this->app->make(RamzManager::class)->verify();
            $caller = (new \ReflectionProperty(VerifyResource::class, 'caller'))->getValue($verify);
            $settings = (new \ReflectionProperty(Caller::class, 'settings'))->getValue($caller);
            return [$settings->timeout, $settings->totalTimeout, $settings->maxRetries];
        };
        self::assertSame([5.0, 7.0, 1], $read($names));
        self::assertSame([10.0, null, 2], $read(\array_map(static fn (): string => '', $names)));
        self::assertSame([10.0, null, 2], $read([]));
    }

    public function testEachAttemptIsAnEvent(): void
    {
        $this->app['config']->set('ramz.base_url', 'http://127.0.0.1:1');
        $this->app['config']->set('ramz.max_retries', 0);
        Event::fake([ResponseReceived::class]);
        try {
            Ramz::send('+213550000001', options: new CallOptions(timeout: 5.0));
            self::fail('somebody answered');
        } catch (NetworkError) {
            Event::assertDispatched(
                ResponseReceived::class,
                static fn (ResponseReceived $event): bool => $event->response->operation === 'verify.send'
                    && [$event->response->attempt, $event->response->status] === [1, 0],
            );
        }
    }

    /** Editors complete named arguments by what the facade says of its methods. */
    public function testTheFacadeNamesTheArgumentsOfItsOperations(): void
    {
        $doc = (string) (new \ReflectionClass(FacadeMethods::class))->getDocComment();
        foreach (['send', 'check'] as $name) {
            self::assertSame(1, preg_match("/@method static \\w+ {$name}\\((.*)\\)$/m", $doc, $found));
            preg_match_all('/\$(\w+)/', $found[1], $named);
            $parameters = (new \ReflectionMethod(VerifyResource::class, $name))->getParameters();
            self::assertSame(array_map(static fn (\ReflectionParameter $one): string => $one->name, $parameters), $named[1]);
        }
    }

    public function testPublishesItsConfiguration(): void
    {
        self::assertSame(0, Artisan::call('vendor:publish', ['--tag' => 'ramz-config']));
        self::assertSame('ramz/webhooks', (require $this->app->configPath('ramz.php'))['webhooks']['path']);
    }

    /**
     * For a replay: the store that remembers what was handled is the default one, one by its name, or none.
     *
     * @dataProvider deduplications
     */
    #[DataProvider('deduplications')]
    public function testTheEnvironmentSaysWhetherAWebhookIsDispatchedOnce(?string $written, mixed $read): void
    {
        $name = 'RAMZ_WEBHOOK_DEDUPLICATE';
        try {
            if ($written !== null) {
                $_SERVER[$name] = $written;
            }
            $config = require \dirname(__DIR__) . '/config/ramz.php';
            self::assertSame($read, $config['webhooks']['deduplicate']);
        } finally {
            unset($_SERVER[$name]);
        }
    }

    /** @return array<string, array{?string, mixed}> */
    public static function deduplications(): array
    {
        return ['left out' => [null, null], 'false' => ['false', false], 'null' => ['null', null], 'empty' => ['', ''], 'a store' => ['redis', 'redis']];
    }

    public function testPublishesItsTextsBesideThoseOfTheApplication(): void
    {
        $texts = $this->app->langPath();
        \mkdir("{$texts}/en");
        \file_put_contents("{$texts}/en/validation.php", "<?php return ['required' => 'Ours.'];");
        self::assertSame(0, Artisan::call('vendor:publish', ['--tag' => 'ramz-lang', '--force' => true]));

        $files = new Filesystem();
        $written = \array_map(static fn ($file): string => $file->getRelativePathname(), $files->allFiles($texts));
        \sort($written);
        $ours = \array_map(static fn (string $language): string => "vendor/ramz/{$language}/validation.php", ['ar', 'en', 'fr']);
        self::assertSame(['en/validation.php', ...$ours], $written);
        self::assertSame('Ours.', trans('validation.required'));

        $copy = "{$texts}/vendor/ramz/en/validation.php";
        \file_put_contents($copy, \str_replace('There is no code', 'No code is there', (string) \file_get_contents($copy)));
        $rule = RamzCode::ofSession(null);
        self::assertFalse($rule->passes('code', '123456'));
        self::assertSame('No code is there to check. Ask for one first.', $rule->message());
    }
}
