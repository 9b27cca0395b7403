// What an exchange with the platform means for the message: taken, refused, to be asked again, or not known.

import { z } from 'zod';
import type { SendOutcome } from '../channel.ts';
import { type ErrorMeaning, errorMeaning, notOnApp, pairLimit } from './errors.ts';
import type { Exchange } from './graph.ts';

/** A refusal, in the platform's words that may be logged: its messages may name the recipient. */
export interface Refusal {
  meaning: ErrorMeaning;
  /** The platform's code, or `HTTP 404` where it gave none. */
  code: string;
  subcode?: number | undefined;
  /** The platform's own id of the fault, for its support. */
  trace?: string | undefined;
}

export type Meaning =
  | { kind: 'accepted'; wamid: string }
  /** Not taken; may be taken later. `limited`: asked too fast. `pair`: by this phone only. `trouble`: theirs, or the way there. */
  | { kind: 'again'; why: 'limited' | 'pair' | 'trouble' | 'unreachable'; code: string }
  /** Not taken, and will not be. */
  | { kind: 'refused'; refusal: Refusal }
  | { kind: 'unknown'; reason: 'timeout' | 'connection_lost' | 'unreadable_answer' };

/** Ids are opaque; what could not be stored or compared is no id. */
export const wamidSchema = z.string().regex(/^[\x21-\x7e]{1,512}$/);

const takenSchema = z.object({ messages: z.array(z.object({ id: wamidSchema })).min(1) });

const errorSchema = z.object({
  error: z.object({
    code: z.int(),
    error_subcode: z.int().optional(),
    is_transient: z.boolean().optional(),
    fbtrace_id: z.string().max(64).optional(),
  }),
});

export function meaningOf(exchange: Exchange): Meaning {
  if (exchange.kind === 'not_sent') return { kind: 'again', why: 'unreachable', code: exchange.code };
  if (exchange.kind === 'unknown') return exchange;
  const { status, body } = exchange;
  const taken = takenSchema.safeParse(body);
  const wamid = taken.data?.messages[0]?.id;
  if (status >= 200 && status < 300 && wamid) return { kind: 'accepted', wamid };
  const told = errorSchema.safeParse(body);
  if (told.success) return byError(told.data.error);
  return byStatus(status);
}

function byError(error: z.output<typeof errorSchema>['error']): Meaning {
  const code = String(error.code);
  const meaning = errorMeaning(error.code);
  if (meaning === 'slow_down') return { kind: 'again', why: error.code === pairLimit ? 'pair' : 'limited', code };
  if (meaning === 'trouble' || (meaning === 'other' && error.is_transient))
    return { kind: 'again', why: 'trouble', code };
  return { kind: 'refused', refusal: { meaning, code, subcode: error.error_subcode, trace: error.fbtrace_id } };
}

/** An answer without the platform's own words, by whoever stands before it. */
function byStatus(status: number): Meaning {
  const code = `HTTP ${status}`;
  if (status === 429) return { kind: 'again', why: 'limited', code };
  // A gateway's 5xx (or a 2xx that says nothing) does not tell whether the platform behind it has taken the message.
  if (status >= 500 || status < 300 || status === 408) return { kind: 'unknown', reason: 'unreadable_answer' };
  return { kind: 'refused', refusal: { meaning: 'configuration', code } };
}

/** What a refusal is for the engine. */
export function rejection({ meaning, code }: Refusal): SendOutcome {
  const plain = code === String(notOnApp) ? 'not_on_app' : 'submit_refused';
  const reason = meaning === 'configuration' ? 'misconfigured' : meaning === 'channel_down' ? 'channel_down' : plain;
  return { kind: 'rejected', reason, errorCode: code };
}

/** For the metrics. */
export const wordOf = (meaning: Meaning): string => {
  if (meaning.kind === 'again') return meaning.why;
  if (meaning.kind === 'refused') return meaning.refusal.meaning;
  return meaning.kind === 'unknown' ? meaning.reason : meaning.kind;
};
