// The phones' part of the remote control (`POST /sandbox/control`). Each action begins with `voice_`, so that the common handler can pass
// them on by name.

import { z } from 'zod';
import type { Phones } from './phones.ts';

const number = z.string().regex(/^\+\d{7,15}$/, 'must be a number such as +213550000001');

export const phoneActions = [
  /** `silent`: nothing is answered, as behind a firewall. `gone`: the port refuses datagrams. Calls that are up stay up. */
  z.strictObject({ action: z.literal('voice_trunk'), state: z.enum(['up', 'silent', 'gone']) }),
  /** The next calls are refused with this status, default 503. */
  z.strictObject({
    action: z.literal('voice_refuse'),
    count: z.int().min(1).max(1_000_000).default(1),
    status: z.int().min(300).max(699).default(503),
    retry_after: z.int().min(0).optional(),
  }),
  z.strictObject({ action: z.literal('voice_delay_answers'), ms: z.int().min(0).max(600_000) }),
  /** Phones stop sending audio, in calls that are up too. */
  z.strictObject({ action: z.literal('voice_mute'), muted: z.boolean().default(true) }),
  /** Calls to this number wait for the person (`voice_answer`, `voice_decline`), and not for the scenario of the number. */
  z.strictObject({ action: z.literal('voice_person'), to: number, present: z.boolean() }),
  /** The person takes the call that rings. */
  z.strictObject({ action: z.literal('voice_answer'), to: number }),
  /** The person does not want the call that rings: SIP 603. */
  z.strictObject({ action: z.literal('voice_decline'), to: number }),
  /** The person at this number presses a key now. */
  z.strictObject({ action: z.literal('voice_press'), to: number, key: z.string().regex(/^[0-9*#A-D]$/) }),
  /** The person at this number hangs up now. */
  z.strictObject({ action: z.literal('voice_hang_up'), to: number }),
] as const;

export type PhoneAction = z.output<(typeof phoneActions)[number]>;

const names = new Set<string>(phoneActions.map(({ shape }) => shape.action.value));

export const isPhoneAction = (action: { action: string }): action is PhoneAction => names.has(action.action);

/** What is wrong with the order; null = done. */
export async function controlPhones(action: PhoneAction, phones: Phones | null): Promise<string | null> {
  if (!phones) return 'the sandbox has no phones: the package "sip" is not installed';
  const { faults } = phones;
  switch (action.action) {
    case 'voice_trunk':
      await phones.become(action.state);
      return null;
    case 'voice_refuse':
      faults.refuseCalls(action.count, action.status, action.retry_after);
      return null;
    case 'voice_delay_answers':
      faults.delayMs = action.ms;
      return null;
    case 'voice_mute':
      faults.muted = action.muted;
      return null;
    case 'voice_person':
      phones.meet(action.to, action.present);
      return null;
    case 'voice_answer':
      return phones.decide(action.to, 'answer') ? null : `no call rings at ${action.to}`;
    case 'voice_decline':
      return phones.decide(action.to, 'decline') ? null : `no call rings at ${action.to}`;
    case 'voice_press':
      return phones.press(action.to, action.key) ? null : `no call is up at ${action.to}`;
    case 'voice_hang_up':
      return phones.hangUp(action.to) ? null : `no call is up at ${action.to}`;
  }
}
