// The platform's answers and error codes, as their meaning for the message and for the channel, and the observer of both.
// Source: "Error codes" of the WhatsApp Business Platform, and "Handle errors" of the Graph API.

import { z } from 'zod';
import type { SendOutcome } from '../channel.ts';
import type { Exchange } from './graph.ts';

/**
 * `move_on`: this phone cannot be reached by the app now. `slow_down`: the calls come too fast. `trouble`: a passing fault of the
 * platform's. `channel_down`: the platform refuses the number for every recipient, and an operator must act. `configuration`: the
 * configured template, parameters or number is refused, and an operator must correct it. `other`: refused for a reason without a rule.
 */
type ErrorMeaning = 'move_on' | 'slow_down' | 'trouble' | 'channel_down' | 'configuration' | 'other';

const meanings: ReadonlyMap<number, ErrorMeaning> = new Map<number, ErrorMeaning>([
  [131026, 'move_on'], // undeliverable: not on the app, an old version, terms not accepted
  [131049, 'move_on'], // not delivered, for the sake of the recipient's peace
  [130472, 'move_on'], // the recipient is part of an experiment
  [131062, 'move_on'], // the platform knows the recipient by an id only, not by a number
  [131021, 'move_on'], // the recipient is the sender
  [130497, 'move_on'], // not allowed to that country
  [130429, 'slow_down'], // throughput of the number
  [131056, 'slow_down'], // too many to this phone from this number
  [80007, 'slow_down'], // calls of the business account
  [4, 'slow_down'], // calls of the app
  [131048, 'slow_down'], // limited because of complaints
  [131000, 'trouble'], // something went wrong
  [131016, 'trouble'], // service unavailable
  [131057, 'trouble'], // account in maintenance
  [1, 'trouble'], // unknown
  [2, 'trouble'], // service away
  [0, 'channel_down'], // the token does not authenticate
  [190, 'channel_down'], // the token has expired or was withdrawn
  [3, 'channel_down'], // no such capability
  [10, 'channel_down'], // permission missing or withdrawn
  [368, 'channel_down'], // blocked for breaking rules
  [131005, 'channel_down'], // access denied
  [131031, 'channel_down'], // account locked
  [131042, 'channel_down'], // a matter of payment
  [133010, 'channel_down'], // number not registered
  [100, 'configuration'], // parameter wrong, or no such phone number id
  [33, 'configuration'], // parameter wrong, or no such phone number id
  [131008, 'configuration'], // parameter missing
  [131009, 'configuration'], // parameter wrong
  [132000, 'configuration'], // another number of parameters than the template's
  [132001, 'configuration'], // no such template in that language
  [132005, 'configuration'], // text too long with its parameters
  [132007, 'configuration'], // text against the rules
  [132012, 'configuration'], // parameters of another form than the template's
  [132015, 'configuration'], // template paused
  [132016, 'configuration'], // template disabled
]);

export function errorMeaning(code: number): ErrorMeaning {
  if (code >= 200 && code <= 299) return 'channel_down'; // permissions, as 10
  return meanings.get(code) ?? 'other';
}

/** The code for a number without an account that could be reached. */
const notOnApp = 131026;
/** The code for too many messages to one phone; messages to other phones may go on. */
const pairLimit = 131056;
/** True for the codes of a token that stays refused: another one is needed. `code` is text, as in refusals. */
export const isTokenRefused = (code: string): boolean => code === '190' || code === '0';

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
  /** Not taken, and may be taken later. `limited`: too fast. `pair`: too fast for this phone. `trouble`: a fault there or on the way. */
  | { kind: 'again'; why: 'limited' | 'pair' | 'trouble' | 'unreachable'; code: string }
  /** Not taken, and will not be. */
  | { kind: 'refused'; refusal: Refusal }
  | { kind: 'unknown'; reason: 'timeout' | 'connection_lost' | 'unreadable_answer' };

/** Ids are opaque; a text that could not be stored or compared is none. */
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

/** The meaning of an exchange with the platform for its message. */
export function meaningOf(exchange: Exchange): Meaning {
  if (exchange.kind === 'not_sent') return { kind: 'again', why: 'unreachable', code: exchange.code };
  if (exchange.kind === 'unknown') return exchange;
  const { status, body } = exchange;
  const taken = takenSchema.safeParse(body);
  const wamid = taken.data?.messages[0]?.id;
  if (status >= 200 && status < 300 && wamid) return { kind: 'accepted', wamid };
  const refused = errorSchema.safeParse(body);
  if (refused.success) return byError(refused.data.error);
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
  return meaning.kind === 'unknown' ? meaning.reason : meaning.kind;
};

/** The hooks of the channel for metrics, the log and alarms. */
export interface AppObserver {
  /** Called for every exchange with the platform: its meaning, and how long it took. */
  exchange?(about: { phoneNumberId: string; meaning: string; code: string | null; ms: number }): void;
  /**
   * The platform refuses this number for every recipient: it is not used until `until` (Unix ms). `owner`: the business whose own
   * number it is and that must act; null = the operator of this service must.
   */
  down?(phoneNumberId: string, refusal: Refusal, until: number, owner: string | null): void;
  /** The platform takes messages of this number again. */
  up?(phoneNumberId: string): void;
  /** The platform refuses our configuration (template, parameters, number); the owner or the operator must correct it. */
  misconfigured?(phoneNumberId: string, refusal: Refusal, owner: string | null): void;
  /** Parts of a callback that were dropped, e.g. statuses of a number that is not ours. */
  ignored?(what: 'unknown_number' | 'inbound_message' | 'other_status' | 'other_field', count: number): void;
}
