// What one page of a filtered list may cost, and where the next one begins.

/** Rows looked at for a page: some tens of milliseconds when they are in memory, and a few thousand pages of disk when they are not. */
export const rowsPerPage = 5_000;

export interface ListPage<Item> {
  items: Item[];
  /** Id after which the next page begins; null = there is no more. */
  next: string | null;
}

/**
 * @param found one more than `limit` where there are as many.
 * @param lookedUntil the last id that was looked at, where the looking stopped before the list ended.
 */
export function nextOf<Item>(
  found: readonly Item[],
  limit: number,
  lookedUntil: string | null,
  idOf: (item: Item) => string,
): ListPage<Item> {
  const items = found.slice(0, limit);
  const last = items.at(-1);
  return { items, next: found.length > limit && last ? idOf(last) : lookedUntil };
}
