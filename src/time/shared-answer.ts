// One answer for many callers: what any caller may ask, as often as it likes, is looked up once, and all of them get the result.

export interface SharedAnswerOptions {
  /** How long an answer is given again after it came, ms. A failure is not kept. */
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
