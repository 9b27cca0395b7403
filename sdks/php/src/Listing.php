<?php

declare(strict_types=1);

namespace Ramz;

use Ramz\Error\ServerError;
use Ramz\Internal\Caller;
use Ramz\Internal\Json;
use Ramz\Internal\Operation;

/**
 * All items of a list. `foreach` fetches page after page, as far as it goes; each new `foreach` starts anew.
 *
 * @template T of object
 *
 * @implements \IteratorAggregate<int, T>
 */
final class Listing implements \IteratorAggregate
{
    /**
     * @internal
     *
     * @param array<string, mixed> $query
     * @param \Closure(array<mixed>): T $read
     */
    public function __construct(
        private readonly Caller $caller,
        private readonly string $name,
        private readonly string $path,
        private readonly array $query,
        private readonly string $items,
        private readonly \Closure $read,
        private readonly ?CallOptions $options = null,
    ) {
    }

    /** @return \Generator<int, T> */
    public function getIterator(): \Generator
    {
        foreach ($this->pages() as $page) {
            foreach ($page->items as $item) {
                yield $item;
            }
        }
    }

    /**
     * @return \Generator<int, Page<T>>
     *
     * @throws ServerError A page came before: the list would have no end.
     */
    public function pages(): \Generator
    {
        $token = $this->query['page_token'];
        $seen = [];
        while (true) {
            $page = $this->page($token);
            yield $page;
            $token = $page->nextPageToken;
            if ($token === '') {
                return;
            }
            if (isset($seen["={$token}"])) {
                throw new ServerError('a page that came before: the list would have no end', status: 200);
            }
            $seen["={$token}"] = true; // The sign, because PHP makes array keys of digits integers.
        }
    }

    /** @return Page<T> The page that the list starts with: the first one, or that of `pageToken`. */
    public function firstPage(): Page
    {
        return $this->page($this->query['page_token']);
    }

    /** @return Page<T> */
    private function page(?string $token): Page
    {
        $query = $this->query;
        $query['page_token'] = $token;
        $read = fn (array $answer): Page => new Page(
            Json::many($answer, $this->items, $this->read),
            Json::text($answer, 'next_page_token'),
        );
        return $this->caller->call(new Operation($this->name, 'GET', $this->path, $query), $this->options, $read);
    }
}
