// What becomes of a message, decided by its number before anything happens: the scenario table's words, or an error code in
// the number itself, turned into the platform's. Pure.

import { defaultScenario, scenarioOf } from '../../core/verify/scenarios.ts';
import { isErrorCode } from './error-codes.ts';

export const statusWords = ['sent', 'delivered', 'read', 'played', 'failed'] as const;

export type StatusWord = (typeof statusWords)[number];

export interface StatusStep {
  status: StatusWord;
  /** From the answer on. Milliseconds. */
  delayMs: number;
  /** With `failed`. */
  errorCode?: number;
}

export type Outcome =
  | { kind: 'refused'; code: number }
  /** `arrives`: the person sees it, so it is in the inbox. */
  | { kind: 'accepted'; arrives: boolean; steps: readonly StatusStep[] };

/** The platform has it and looks for the phone. */
const sentAfterMs = 5;

/**
 * The numbers under the scenario prefix that stand for an error code: `8` and the code in six digits is refused with it at
 * once, `9` and the code is accepted and fails with it. `+21355 9 131026` → accepted, then 131026.
 */
export function errorNumber(e164: string, scenarioPrefix: string): { late: boolean; code: number } | null {
  if (!e164.startsWith(scenarioPrefix)) return null;
  const [, how, digits] = /^([89])(\d{6})$/.exec(e164.slice(scenarioPrefix.length)) ?? [];
  const code = Number(digits);
  return digits !== undefined && isErrorCode(code) ? { late: how === '9', code } : null;
}

/** `deliverDelayMs` instead of the table's. */
export function outcomeOf(e164: string, scenarioPrefix: string, deliverDelayMs?: number): Outcome {
  const error = errorNumber(e164, scenarioPrefix);
  if (error && !error.late) return { kind: 'refused', code: error.code };
  if (error) return failsWith(error.code, deliverDelayMs);
  const { app } = scenarioOf(e164, scenarioPrefix) ?? defaultScenario;
  // The real platform takes the message and finds out later that nobody is there.
  if (app.answer === 'reject') return failsWith(131026, deliverDelayMs);
  const sent: StatusStep = { status: 'sent', delayMs: Math.min(sentAfterMs, deliverDelayMs ?? sentAfterMs) };
  if (app.status === 'none') return { kind: 'accepted', arrives: true, steps: [sent] };
  const delivered: StatusStep = { status: app.status, delayMs: deliverDelayMs ?? app.delayMs };
  return { kind: 'accepted', arrives: true, steps: [sent, delivered] };
}

function failsWith(errorCode: number, deliverDelayMs = 40): Outcome {
  return { kind: 'accepted', arrives: false, steps: [{ status: 'failed', delayMs: deliverDelayMs, errorCode }] };
}
