// The platform's answers to a message, as their meaning for it, and the observer of all that the platform answers and reports. The
// meaning of each error code is in errors.ts.

import { z } from 'zod';
import type { SendOutcome } from '../channel.ts';
import { errorMeaning, notOnApp, pairLimit, type Refusal } from './errors.ts';
import type { Exchange } from './graph.ts';

/** Of `message_status`: the platform first looks at how the template is received, or has paused it. A code comes too late then. */
const heldWords = ['held_for_quality_assessment', 'paused'] as const;

export type Meaning =
  /** `held`: taken, and held back, by the platform's own word. */
  | { kind: 'accepted'; wamid: string; held?: (typeof heldWords)[number] }
  /** Not taken, and may be taken later. `limited`: too fast. `pair`: too fast for this phone. `trouble`: a fault there or on the way. */
  | { kind: 'again'; why: 'limited' | 'pair' | 'trouble' | 'unreachable'; code: string }
  /** Not taken, and will not be. */
  | { kind: 'refused'; refusal: Refusal }
  | { kind: 'unknown'; reason: 'timeout' | 'connection_lost' | 'unreadable_answer' };

/** Ids are opaque; a text that could not be stored or compared is none. */
export const wamidSchema = z.string().regex(/^[\x21-\x7e]{1,512}$/);

const takenMessageSchema = z.object({ id: wamidSchema, message_status: z.enum(heldWords).optional().catch(undefined) });
const takenSchema = z.object({ messages: z.array(takenMessageSchema).min(1) });

/** The code alone decides; what is beside it in another form is left out. */
const errorSchema = z.object({
  error: z.object({
    code: z.int(),
    error_subcode: z.int().optional().catch(undefined),
    is_transient: z.boolean().optional().catch(undefined),
    fbtrace_id: z.string().max(64).optional().catch(undefined),
  }),
});

/** The meaning of an exchange with the platform for its message. */
export function meaningOf(exchange: Exchange): Meaning {
  if (exchange.kind === 'not_sent') return { kind: 'again', why: 'unreachable', code: exchange.code };
  if (exchange.kind === 'unknown') return exchange;
  const { status, body } = exchange;
  const taken = takenSchema.safeParse(body);
  const message = taken.data?.messages[0];
  if (status >= 200 && status < 300 && message) {
    const { id: wamid, message_status: held } = message;
    return { kind: 'accepted', wamid, ...(held && { held }) };
  }
  const refused = errorSchema.safeParse(body);
  if (refused.success) return byError(refused.data.error, status);
  return byStatus(status);
}

function byError(error: z.output<typeof errorSchema>['error'], status: number): Meaning {
  const code = String(error.code);
  const meaning = errorMeaning(error.code);
  if (meaning === 'slow_down') return { kind: 'again', why: error.code === pairLimit ? 'pair' : 'limited', code };
  // A code that is not known says less than the status beside it.
  if (meaning === 'other' && status === 429) return { kind: 'again', why: 'limited', code };
  if (meaning === 'trouble' || (meaning === 'other' && error.is_transient))
    return { kind: 'again', why: 'trouble', code };
  return { kind: 'refused', refusal: { meaning, code, subcode: error.error_subcode, trace: error.fbtrace_id } };
}

/** The meaning of an answer without the platform's error object: a gateway before the platform wrote it. */
function byStatus(status: number): Meaning {
  const code = `HTTP ${status}`;
  if (status === 429) return { kind: 'again', why: 'limited', code };
  // After a gateway's 5xx, or a 2xx without an id, the platform behind it may have taken the message.
  if (status >= 500 || status < 300 || status === 408) return { kind: 'unknown', reason: 'unreadable_answer' };
  return { kind: 'refused', refusal: { meaning: 'configuration', code } };
}

/** A refusal as an outcome for the engine. */
export function rejection({ meaning, code }: Refusal): SendOutcome {
  const plain = code === String(notOnApp) ? 'not_on_app' : 'submit_refused';
  const reason = meaning === 'configuration' ? 'misconfigured' : meaning === 'channel_down' ? 'channel_down' : plain;
  return { kind: 'rejected', reason, errorCode: code };
}

/** The meaning in one word, for the metrics. */
export const wordOf = (meaning: Meaning): string => {
  if (meaning.kind === 'again') return meaning.why;
  if (meaning.kind === 'refused') return meaning.refusal.meaning;
  if (meaning.kind === 'accepted' && meaning.held) return 'held';
  return meaning.kind === 'unknown' ? meaning.reason : meaning.kind;
};

/** The platform's own word or code in an answer; null where it is a plain yes, or none. */
export const codeOf = (meaning: Meaning): string | null => {
  if (meaning.kind === 'refused') return meaning.refusal.code;
  if (meaning.kind === 'again') return meaning.code;
  return (meaning.kind === 'accepted' && meaning.held) || null;
};

/** The hooks of the channel for metrics, the log and alarms. */
export interface AppObserver {
  /** Called for every exchange with the platform: its meaning, and how long it took. */
  exchange?(about: { phoneNumberId: string; meaning: string; code: string | null; ms: number }): void;
  /** A message went out from this number to the phone `to` (E.164), or may have. */
  sent?(phoneNumberId: string, to: string): void;
  /**
   * The platform refuses this number for every recipient: it is not used until `until` (Unix ms). `owner`: the business whose own
   * number it is and that must act; null = the operator of this service must.
   */
  down?(phoneNumberId: string, refusal: Refusal, until: number, owner: string | null): void;
  /** The platform takes messages of this number again. */
  up?(phoneNumberId: string): void;
  /** The number is ours no longer: whether it is refused is of no interest any more. */
  gone?(phoneNumberId: string): void;
  /** The platform refuses our configuration (template, parameters, number); the owner or the operator must correct it. */
  misconfigured?(phoneNumberId: string, refusal: Refusal, owner: string | null): void;
  /** The platform gave a code that errors.ts does not know: the platform has changed, and the code needs a meaning. */
  unknownCode?(phoneNumberId: string, refusal: Refusal): void;
  /** A callback reports an error of the number that is about no message. */
  reported?(phoneNumberId: string, refusal: Refusal): void;
  /** The platform charges a message as something that the tariff has no price of: its cost here is too low, or too high. */
  otherCategory?(phoneNumberId: string, category: string): void;
  /** Parts of a callback that were dropped, e.g. statuses of a number that is not ours. */
  ignored?(what: Ignored, count: number): void;
}

type Ignored =
  | 'unknown_number'
  | 'unknown_message'
  | 'old_message'
  | 'inbound_message'
  | 'other_status'
  | 'other_field';
