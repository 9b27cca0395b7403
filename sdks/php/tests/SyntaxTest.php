<?php

declare(strict_types=1);

namespace Ramz\Tests;

use PhpParser\Node;
use PhpParser\NodeFinder;
use PhpParser\ParserFactory;
use PHPUnit\Framework\TestCase;
use Ramz\Client;

/**
 * The package is PHP 8.1, though the PHP that runs this is newer: looks for what came later. No proof, but what one
 * writes by mistake: readonly classes, types of PHP 8.2, constants in traits, and functions and classes that are newer.
 */
final class SyntaxTest extends TestCase
{
    private const NEWER = [
        'curl_upkeep', 'ini_parse_quantity', 'memory_reset_peak_usage', 'openssl_cipher_key_length',
        'json_validate', 'mb_str_pad', 'str_increment', 'str_decrement', 'stream_context_set_options',
        'array_find', 'array_find_key', 'array_any', 'array_all', 'mb_trim', 'mb_ucfirst', 'mb_lcfirst',
        'array_first', 'array_last',
    ];

    public static function setUpBeforeClass(): void
    {
        if (!class_exists(ParserFactory::class)) {
            self::markTestSkipped('PhpParser is not installed (Debian\'s phpunit brings it)');
        }
    }

    public function testTheCheckFindsWhatIsNewer(): void
    {
        $newer = [
            'final readonly class A {}',
            'class A { public function b(): true { return true; } }',
            'class A { public function b(): null { return null; } }',
            'trait A { const B = 1; }',
            'json_validate("");',
            'new \Random\Randomizer();',
        ];
        foreach ($newer as $code) {
            self::assertNotSame([], self::newerThings("<?php {$code}"), $code);
        }
        self::assertSame([], self::newerThings('<?php class A { public function b(): ?bool { return c(...); } }'));
    }

    public function testThePackageIsOfPhp81(): void
    {
        $root = dirname((string) (new \ReflectionClass(Client::class))->getFileName(), 2);
        $count = 0;
        foreach (['src', 'generated'] as $folder) {
            $files = new \RecursiveIteratorIterator(new \RecursiveDirectoryIterator("{$root}/{$folder}", \FilesystemIterator::SKIP_DOTS));
            foreach ($files as $file) {
                $code = (string) file_get_contents((string) $file);
                self::assertStringContainsString('declare(strict_types=1);', $code, (string) $file);
                self::assertSame([], self::newerThings($code), (string) $file);
                $count++;
            }
        }
        self::assertGreaterThan(100, $count);
    }

    /** @return list<string> */
    private static function newerThings(string $code): array
    {
        $tree = (new ParserFactory())->create(ParserFactory::ONLY_PHP7)->parse($code) ?? [];
        $found = (new NodeFinder())->find($tree, static fn (Node $node): bool => match (true) {
            $node instanceof Node\Stmt\Class_ => ($node->flags & Node\Stmt\Class_::MODIFIER_READONLY) !== 0,
            $node instanceof Node\Stmt\Trait_ => $node->getConstants() !== [],
            $node instanceof Node\UnionType => self::holdsIntersection($node) || self::isNew($node),
            $node instanceof Node\FunctionLike => self::isNew($node->getReturnType()),
            $node instanceof Node\Param, $node instanceof Node\Stmt\Property => self::isNew($node->type),
            $node instanceof Node\Expr\FuncCall => $node->name instanceof Node\Name
                && in_array($node->name->toLowerString(), self::NEWER, true),
            $node instanceof Node\Name => str_starts_with(ltrim($node->toString(), '\\'), 'Random\\'),
            default => false,
        });
        return array_map(static fn (Node $node): string => "{$node->getType()} at line {$node->getStartLine()}", $found);
    }

    private static function holdsIntersection(Node\UnionType $union): bool
    {
        return array_filter($union->types, static fn (Node $one): bool => $one instanceof Node\IntersectionType) !== [];
    }

    /** `true` anywhere; `null` and `false` standing alone. */
    private static function isNew(?Node $type): bool
    {
        $types = $type instanceof Node\UnionType ? $type->types : [$type];
        foreach ($types as $one) {
            $name = match (true) {
                $one instanceof Node\Identifier => $one->toLowerString(),
                $one instanceof Node\Name => $one->toLowerString(),
                default => '',
            };
            if ($name === 'true' || (in_array($name, ['null', 'false'], true) && count($types) === 1)) {
                return true;
            }
        }
        return false;
    }
}
