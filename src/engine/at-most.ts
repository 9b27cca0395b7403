// Waiting, but not for ever.

/** Whether `work` is done within `ms`; what is not goes on by itself. */
export async function isDoneWithin(work: Promise<unknown>, ms: number): Promise<boolean> {
  const late = Promise.withResolvers<false>();
  const timer = setTimeout(() => late.resolve(false), ms);
  return Promise.race([work.then(() => true as const), late.promise]).finally(() => clearTimeout(timer));
}
