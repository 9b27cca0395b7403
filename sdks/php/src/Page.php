<?php

declare(strict_types=1);

namespace Ramz;

/**
 * One page of a list.
 *
 * @template T of object
 */
final class Page
{
    /**
     * @param list<T> $items
     * @param string $nextPageToken Empty on the last page.
     */
    public function __construct(
        public readonly array $items,
        public readonly string $nextPageToken,
    ) {
    }
}
