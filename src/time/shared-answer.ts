// One answer for many callers: what everyone may ask, as often as they like, is looked up once and told to all of them.

export interface SharedAnswerOptions {
  /** For so long after it came, an answer is told again, ms. One that failed is not. */
  keepMs: number;
  /** Default: a clock that nobody sets. */
  now?: () => number;
}

/** Callers share the answer that is on its way, and the last one for a while. */
export function sharedAnswer<Answer>(
  ask: () => Promise<Answer>,
  { keepMs, now = () => performance.now() }: SharedAnswerOptions,
): () => Promise<Answer> {
  let held: Promise<Answer> | undefined;
  let heldUntil = 0;
  return () => {
    if (held && now() < heldUntil) return held;
    held = ask();
    heldUntil = Number.POSITIVE_INFINITY;
    held.then(
      () => {
        heldUntil = now() + keepMs;
      },
      () => {
        held = undefined;
      },
    );
    return held;
  };
}
