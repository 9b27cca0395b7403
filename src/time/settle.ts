// Several pieces of work at once, all of which are waited for: where one fails, none is left running behind the caller's back, and none of the
// others is cut short.

/** The results, in the order of `work`. @throws the first failure in that order, once all have ended. */
export async function settleAll<Result>(work: readonly Promise<Result>[]): Promise<Result[]> {
  const settled = await Promise.allSettled(work);
  return settled.map((each) => {
    if (each.status === 'rejected') throw each.reason;
    return each.value;
  });
}

/** The results of the work that succeeded, in the order of `work`. @throws the first failure where nothing succeeded. */
export async function settleAny<Result>(work: readonly Promise<Result>[]): Promise<Result[]> {
  const settled = await Promise.allSettled(work);
  const results = settled.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  const [first] = settled;
  if (results.length === 0 && first?.status === 'rejected') throw first.reason;
  return results;
}
