// A stream that outlives its connections: opened again when one is lost or quiet for long, without telling anything twice. The
// transport opens.

import { decode, isObject, type Json } from './codec.ts';
import { RequestTimeoutError } from './errors.ts';
import { read } from './foreign.ts';
import { checkIds } from './ids.ts';
import type { Operation } from './operation.ts';
import { checkMade, pause, type Repeating } from './repeat.ts';

/**
 * @param open one connection; it ends when the service says that all is told, and throws when it is lost. Its messages are
 * JSON as on the wire.
 * @param asked the ids that the session must have
 */
export async function* follow<T>(
  open: () => AsyncIterable<Json>,
  operation: Operation,
  asked: Readonly<Record<string, unknown>>,
  options: Repeating,
): AsyncGenerator<T, void, undefined> {
  const seen = new Seen();
  let failures = 0;
  let before: unknown;
  for (;;) {
    let hasAnswered = false;
    try {
      for await (const message of open()) {
        hasAnswered = true;
        failures = 0;
        if (isObject(message.session)) checkSession(message.session, operation, asked);
        const fresh = seen.only(message);
        if (fresh) yield read(() => decode(operation.answer ?? '', fresh)) as T;
      }
      return;
    } catch (error) {
      checkMade(before, error, options.reporter);
      before = error;
      if (hasAnswered && error instanceof RequestTimeoutError) continue; // It was just quiet.
      failures += 1;
      await pause(error, failures, options);
    }
  }
}

/** Throws ServerError at the session of somebody else. */
const checkSession = (session: Json, { ids = [] }: Operation, asked: Readonly<Record<string, unknown>>): void =>
  read(() => checkIds(ids, session, asked));

/** A new connection starts from the beginning: with the whole timeline as new, and maybe with nothing new at all. */
class Seen {
  #entries = 0;
  #state = '';

  only(message: Json): Json | undefined {
    const session = isObject(message.session) ? message.session : {};
    const timeline = Array.isArray(session.timeline) ? session.timeline : [];
    const state = JSON.stringify(session);
    if (state === this.#state) return undefined;
    const fresh = timeline.slice(this.#entries);
    this.#state = state;
    this.#entries = Math.max(this.#entries, timeline.length);
    return timeline.length > 0 ? { ...message, new_entries: fresh } : message;
  }
}
