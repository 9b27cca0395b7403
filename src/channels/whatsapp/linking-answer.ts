// The meaning of an answer to a call of linking: done, to be repeated, or refused for a reason in our words.

import { z } from 'zod';
import type { WabaReason } from '../../core/waba/link.ts';
import type { Answered } from '../../core/waba/platform.ts';
import { errorMeaning } from './errors.ts';
import type { Exchange } from './graph.ts';

/** The code alone decides; what is beside it in another form is left out. */
const errorSchema = z.object({
  error: z.object({
    code: z.int(),
    error_subcode: z.int().optional().catch(undefined),
    is_transient: z.boolean().optional().catch(undefined),
  }),
});

/** A refusal as the platform words it. */
export interface Refused {
  code: number;
  subcode: number | undefined;
}
export type Reading<T> =
  | { kind: 'ok'; body: T }
  | { kind: 'again'; code: string }
  | { kind: 'refused'; code: string; error: Refused | null };

/** The meaning of an answer. An unclear one means `again`: every call may be repeated. */
export function read<T>(schema: z.ZodType<T>, exchange: Exchange): Reading<T> {
  if (exchange.kind === 'not_sent') return { kind: 'again', code: exchange.code };
  if (exchange.kind === 'unknown') return { kind: 'again', code: exchange.reason };
  const { status, body } = exchange;
  if (status >= 200 && status < 300) {
    const read = schema.safeParse(body);
    return read.success ? { kind: 'ok', body: read.data } : { kind: 'again', code: 'unreadable_answer' };
  }
  const error = errorSchema.safeParse(body).data?.error;
  if (!error) {
    const code = `HTTP ${status}`;
    // A redirect is no answer of the platform's either: a gateway wrote it.
    const passes = status >= 500 || status < 400 || status === 429 || status === 408;
    return passes ? { kind: 'again', code } : { kind: 'refused', code, error: null };
  }
  const meaning = errorMeaning(error.code);
  const passes = meaning === 'slow_down' || meaning === 'trouble' || error.is_transient;
  // A wrong secret of the app comes as code 1, too, which otherwise is a passing fault of the platform's: for a code that lives
  // half a minute it makes no difference.
  if (passes) return { kind: 'again', code: String(error.code) };
  return { kind: 'refused', code: String(error.code), error: { code: error.code, subcode: error.error_subcode } };
}

/** A template of that name and language is there already. */
export const templateExists = 2388024;
const mustVerify = 133006;
const codeExpired = 36007;

export function settled(
  answer: Exclude<Reading<unknown>, { kind: 'ok' }>,
  reasonOf: (error: Refused | null) => WabaReason,
): Extract<Answered<object>, { kind: 'again' | 'refused' }> {
  if (answer.kind === 'again') return answer;
  return { kind: 'refused', reason: reasonOf(answer.error), code: answer.code };
}

export function exchangeReason(error: Refused | null): WabaReason {
  if (error?.subcode === codeExpired) return 'code_expired';
  return error?.code === 100 ? 'code_refused' : 'refused';
}

export function accessReason(error: Refused | null): WabaReason {
  return accessReasonOr(error, 'refused');
}

export function accessReasonOr(error: Refused | null, other: WabaReason): WabaReason {
  if (!error) return other;
  if (error.code === 0 || error.code === 190) return 'token_refused';
  if (stoppedCodes.has(error.code)) return 'account_disabled';
  // The platform reports objects that a token may not see as missing: 100 with subcode 33, or 33.
  const hidden = error.code === 33 || (error.code === 100 && error.subcode === 33);
  return hidden || isPermission(error.code) ? 'permission_missing' : other;
}

/** The account is locked, or a registration names a wrong PIN. */
const locked = 131031;
/** The account is blocked or locked: it may come back with the same token. */
const stoppedCodes: ReadonlySet<number> = new Set([368, locked]);
/** No such capability, no permission, access denied. What else stops a number (a payment, its name, its quality) is nothing that its token lacks. */
const permissionCodes: ReadonlySet<number> = new Set([3, 10, 131005]);
const isPermission = (code: number): boolean => permissionCodes.has(code) || (code >= 200 && code <= 299);

/** A PIN that differs, or was guessed too often. */
const pinCodes: ReadonlySet<number> = new Set([133005, 133008, 133009]);

export function registerReason(error: Refused | null): WabaReason {
  if (error && pinCodes.has(error.code)) return 'pin_refused';
  if (error?.code === mustVerify) return 'number_unverified';
  if (error?.code === locked) return 'registration_refused'; // Which of the two it is, the platform does not say.
  return accessReasonOr(error, 'registration_refused');
}
