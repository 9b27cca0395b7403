<?php

declare(strict_types=1);

namespace Ramz\Internal;

use Ramz\Error\ConfigurationError;

/**
 * One call of the contract with its arguments.
 *
 * @internal
 */
final class Operation
{
    /**
     * @param string $name `verify.send`
     * @param array<string, mixed> $query Null is left out.
     * @param array<string, mixed>|null $body Null: there is none. Members that are null are left out.
     * @param bool $isRepeatable Repeating it does no harm.
     * @param array<string, string|null> $ids Fields of the answer that are never empty, and which ones they must be; null:
     *   the request does not say.
     */
    public function __construct(
        public readonly string $name,
        public readonly string $method,
        public readonly string $path,
        private readonly array $query = [],
        private readonly ?array $body = null,
        public readonly bool $isRepeatable = true,
        public readonly ?string $idempotencyKey = null,
        public readonly array $ids = [],
    ) {
        if ($idempotencyKey !== null && \preg_match('/^[!-~]([ -~]{0,254}[!-~])?$/D', $idempotencyKey) !== 1) {
            // HTTP cuts spaces off the ends of a header: it would be another key.
            throw new ConfigurationError(
                'idempotencyKey must be 1 to 256 printable ASCII characters, no space at either end',
            );
        }
    }

    /** Path and query, percent-encoded. */
    public function target(): string
    {
        $pairs = [];
        foreach (Json::given($this->query) as $name => $value) {
            foreach (\is_array($value) ? $value : [$value] as $one) {
                $pairs[] = $name . '=' . \rawurlencode(\is_bool($one) ? ($one ? 'true' : 'false') : (string) $one);
            }
        }
        return $pairs === [] ? $this->path : $this->path . '?' . \implode('&', $pairs);
    }

    /** @throws ConfigurationError It holds what JSON can't, such as text that is not UTF-8. */
    public function json(): ?string
    {
        return $this->body === null ? null : self::encode(Json::given($this->body));
    }

    /** @param array<string, mixed> $fields */
    public static function encode(array $fields): string
    {
        try {
            $flags = \JSON_THROW_ON_ERROR | \JSON_UNESCAPED_SLASHES | \JSON_UNESCAPED_UNICODE;
            return \json_encode((object) $fields, $flags);
        } catch (\JsonException $error) {
            throw new ConfigurationError('the request can\'t be written as JSON: ' . $error->getMessage());
        }
    }
}
