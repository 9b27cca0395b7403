<?php

declare(strict_types=1);

namespace Ramz\Tests;

use PHPUnit\Framework\TestCase;
use Ramz\Client;
use Ramz\Http\Response;
use Ramz\Internal\Ascii;
use Ramz\Internal\Timestamp;

/**
 * Names of headers have one lower case. The PHP that runs this may have one for every locale (8.2), so the package is searched for
 * functions that had not in PHP 8.1.
 */
final class AsciiTest extends TestCase
{
    /** Those that followed LC_CTYPE before PHP 8.2. */
    private const OF_THE_LOCALE = '/(?<![\w:>])(strtolower|strtoupper|ucfirst|ucwords|lcfirst|array_change_key_case'
        . '|stristr|stripos|strripos|str_ireplace)\s*\(/i';

    public function testOnlyLettersOfAsciiHaveALowerCase(): void
    {
        self::assertSame('webhook-id 0-9_[z] İÇ' . "\xDD", Ascii::lower('Webhook-ID 0-9_[Z] İÇ' . "\xDD"));
    }

    public function testAHeaderIsFoundInAnyCase(): void
    {
        $response = new Response(200, ['X-Request-ID' => 'req_1', '7' => 'seven']);
        self::assertSame(['x-request-id' => 'req_1', 7 => 'seven'], $response->headers);
        self::assertSame('req_1', $response->header('X-REQUEST-ID'));
    }

    public function testATimeMayHaveSmallLetters(): void
    {
        self::assertEquals(new \DateTimeImmutable('2026-07-28T10:00:00Z'), Timestamp::read('2026-07-28t10:00:00z'));
    }

    public function testTheSearchFindsThem(): void
    {
        foreach (['\strtolower($a)', 'array_change_key_case ($a)', 'f(\UCFirst($a))'] as $code) {
            self::assertMatchesRegularExpression(self::OF_THE_LOCALE, $code);
        }
        self::assertDoesNotMatchRegularExpression(self::OF_THE_LOCALE, 'Ascii::lower($a); mb_strtolower($a); // not strtolower');
    }

    public function testThePackageAsksNoLocale(): void
    {
        $root = \dirname((string) (new \ReflectionClass(Client::class))->getFileName(), 2);
        $count = 0;
        foreach (['src', 'generated'] as $folder) {
            $files = new \RecursiveIteratorIterator(new \RecursiveDirectoryIterator("{$root}/{$folder}", \FilesystemIterator::SKIP_DOTS));
            foreach ($files as $file) {
                self::assertSame([], \preg_grep(self::OF_THE_LOCALE, \file((string) $file) ?: []), (string) $file);
                $count++;
            }
        }
        self::assertGreaterThan(100, $count);
    }
}
