// What an answer of the platform to a step of linking means: done, to be asked again, or refused for a reason in our words.
// Which calls there are is in linking.ts.

import { z } from 'zod';
import type { WabaReason, WabaTemplateStatus } from '../../core/waba/link.ts';
import type { Answered } from '../../core/waba/platform.ts';
import { errorMeaning } from './errors.ts';
import type { Exchange } from './graph.ts';

const errorSchema = z.object({
  error: z.object({ code: z.int(), error_subcode: z.int().optional(), is_transient: z.boolean().optional() }),
});

/** A refusal as the platform words it. */
export interface Refused {
  code: number;
  subcode: number | undefined;
}
export type Reading<T> =
  | { kind: 'ok'; body: T }
  | { kind: 'again'; code: string }
  | { kind: 'refused'; code: string; told: Refused | null };

/** What can't be said for sure is asked again: every call may be repeated. */
export function read<T>(schema: z.ZodType<T>, exchange: Exchange): Reading<T> {
  if (exchange.kind === 'not_sent') return { kind: 'again', code: exchange.code };
  if (exchange.kind === 'unknown') return { kind: 'again', code: exchange.reason };
  const { status, body } = exchange;
  if (status >= 200 && status < 300) {
    const read = schema.safeParse(body);
    return read.success ? { kind: 'ok', body: read.data } : { kind: 'again', code: 'unreadable_answer' };
  }
  const told = errorSchema.safeParse(body).data?.error;
  if (!told) {
    const code = `HTTP ${status}`;
    // A redirect is no answer of the platform's, either: something stands in between.
    const passes = status >= 500 || status < 400 || status === 429 || status === 408;
    return passes ? { kind: 'again', code } : { kind: 'refused', code, told: null };
  }
  const meaning = errorMeaning(told.code);
  const passes = meaning === 'slow_down' || meaning === 'trouble' || told.is_transient || waitCodes.has(told.code);
  // A wrong secret of the app comes as code 1, too, which otherwise is a fault of theirs that passes: for a code that lives
  // half a minute it makes no difference.
  if (passes) return { kind: 'again', code: String(told.code) };
  return { kind: 'refused', code: String(told.code), told: { code: told.code, subcode: told.error_subcode } };
}

/** "Try again in a few minutes", said by codes of their own. */
const waitCodes: ReadonlySet<number> = new Set([133004, 133015]);
export const templateExists = 2388024;
const codeExpired = 36007;

export function settled(
  answer: Exclude<Reading<unknown>, { kind: 'ok' }>,
  reasonOf: (told: Refused | null) => WabaReason,
): Extract<Answered<object>, { kind: 'again' | 'refused' }> {
  if (answer.kind === 'again') return answer;
  return { kind: 'refused', reason: reasonOf(answer.told), code: answer.code };
}

export function exchangeReason(told: Refused | null): WabaReason {
  if (told?.subcode === codeExpired) return 'code_expired';
  return told?.code === 100 ? 'code_refused' : 'refused';
}

export function accessReason(told: Refused | null): WabaReason {
  return accessReasonOr(told, 'refused');
}

export function accessReasonOr(told: Refused | null, other: WabaReason): WabaReason {
  if (!told) return other;
  if (told.code === 0 || told.code === 190) return 'token_refused';
  // What a token may not see the platform calls missing: 100 with subcode 33, or 33.
  const hidden = told.code === 33 || (told.code === 100 && told.subcode === 33);
  return hidden || errorMeaning(told.code) === 'channel_down' ? 'permission_missing' : other;
}

/** A PIN that differs, or was guessed too often. */
const pinCodes: ReadonlySet<number> = new Set([133005, 133008, 133009]);

export function registerReason(told: Refused | null): WabaReason {
  if (told && pinCodes.has(told.code)) return 'pin_refused';
  return accessReasonOr(told, 'registration_refused');
}

export function statusOf(word: string): WabaTemplateStatus {
  switch (word) {
    case 'APPROVED':
      return 'approved';
    case 'PENDING':
    case 'IN_APPEAL':
      return 'pending';
    case 'REJECTED':
      return 'rejected';
    case 'PAUSED':
      return 'paused';
    default: // DISABLED, PENDING_DELETION, LIMIT_EXCEEDED, and whatever is added some day
      return 'disabled';
  }
}
