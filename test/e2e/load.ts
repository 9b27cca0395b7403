// Many calls with so many at a time.

/** `run` for every item, `width` at once; results in the order of the items. The first failure fails it all. */
export async function inParallel<T, R>(
  items: readonly T[],
  width: number,
  run: (item: T, index: number) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  const worker = async () => {
    for (let index = next++; index < items.length; index = next++) results[index] = await run(items[index] as T, index);
  };
  await Promise.all(Array.from({ length: width }, worker));
  return results;
}
