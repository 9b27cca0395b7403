// Remote control of the sandbox's faults (`POST /sandbox/control`): the moods, the switches of the SMSCs and of the webhook sink. Those of the
// messaging platform are in platform/control.ts, those of the trunk in phones/control.ts. Tests run in other processes, and people try
// faults by hand, so HTTP is the way in.

import { z } from 'zod';
import type { Moods } from './moods.ts';
import { controlPhones, isPhoneAction, type PhoneAction, phoneActions } from './phones/control.ts';
import type { Phones } from './phones/phones.ts';
import { controlPlatform, isPlatformAction, type PlatformAction, platformActions } from './platform/control.ts';
import type { Platform } from './platform/platform.ts';
import type { Smsc } from './smsc/smsc.ts';
import { moodWords } from './views.ts';
import type { WebhookSink } from './webhooks.ts';

const count = z.int().min(0).max(1_000_000);
const copies = z.int().min(1).max(10);
const commandStatus = z.int().min(0).max(0xffff_ffff);
const stat = z.enum(['ENROUTE', 'DELIVRD', 'EXPIRED', 'DELETED', 'UNDELIV', 'ACCEPTD', 'UNKNOWN', 'REJECTD']);
const err = z.string().regex(/^[0-9A-Za-z]{1,8}$/);

/** One SMSC, or all where `operator` is left out. */
const operator = z.string().optional();

const actionSchema = z.discriminatedUnion('action', [
  z.strictObject({ action: z.literal('pause_answers'), operator }),
  z.strictObject({ action: z.literal('resume_answers'), operator }),
  z.strictObject({ action: z.literal('delay_answers'), operator, ms: z.int().min(0).max(600_000) }),
  z.strictObject({ action: z.literal('duplicate_answers'), operator, copies }),
  z.strictObject({ action: z.literal('lose_answers'), operator, count }),
  z.strictObject({ action: z.literal('refuse_submits'), operator, count, command_status: commandStatus.optional() }),
  z.strictObject({ action: z.literal('refuse_binds'), operator, command_status: commandStatus.nullable() }),
  z.strictObject({ action: z.literal('refuse_sender'), operator, name: z.string() }),
  z.strictObject({ action: z.literal('accept_sender'), operator, name: z.string() }),
  z.strictObject({ action: z.literal('hold_receipts'), operator }),
  z.strictObject({ action: z.literal('release_receipts'), operator }),
  z.strictObject({ action: z.literal('duplicate_receipts'), operator, copies }),
  z.strictObject({ action: z.literal('send_receipt'), operator, to: z.string(), status: stat, err: err.optional() }),
  z.strictObject({
    action: z.literal('send_message'),
    operator,
    from: z.string().max(21),
    to: z.string().max(20),
    text: z.string().max(160),
  }),
  z.strictObject({ action: z.literal('send_raw'), operator, hex: z.string().regex(/^([0-9a-f]{2})+$/i) }),
  z.strictObject({ action: z.literal('drop_connections'), operator }),
  z.strictObject({ action: z.literal('go_down'), operator }),
  z.strictObject({ action: z.literal('come_up'), operator }),
  z.strictObject({ action: z.literal('reset'), operator }),
  z.strictObject({
    action: z.literal('answer_webhooks'),
    endpoint: z.string().default('default'),
    status: z.int().min(200).max(599),
    times: count,
    retry_after: z.int().min(0).optional(),
  }),
  /** How an operator, the platform (`whatsapp`) or the trunk behaves: moods.ts. */
  z.strictObject({ action: z.literal('mood'), of: z.string(), mood: z.enum(moodWords) }),
  ...platformActions,
  ...phoneActions,
]);

type Action = z.output<typeof actionSchema>;
type SmscAction = Exclude<Action, PlatformAction | PhoneAction | { action: 'answer_webhooks' | 'mood' }>;

export type ControlResult = { kind: 'done' } | { kind: 'invalid'; message: string };

export interface Controlled {
  smscs: readonly Smsc[];
  sink: WebhookSink;
  platform: Platform;
  /** Null where the package of their SIP stack is not installed. */
  phones: Phones | null;
  moods: Moods;
}

export async function control(input: unknown, controlled: Controlled): Promise<ControlResult> {
  const parsed = actionSchema.safeParse(input);
  if (!parsed.success) return { kind: 'invalid', message: z.prettifyError(parsed.error) };
  try {
    return await carryOut(parsed.data, controlled);
  } finally {
    controlled.moods.look();
  }
}

async function carryOut(action: Action, { smscs, sink, platform, phones, moods }: Controlled): Promise<ControlResult> {
  if (action.action === 'mood') {
    const wrong = await moods.set(action.of, action.mood);
    return wrong === null ? { kind: 'done' } : { kind: 'invalid', message: wrong };
  }
  if (action.action === 'answer_webhooks') {
    sink.answerWith(action.endpoint, { status: action.status, retryAfter: action.retry_after }, action.times);
    return { kind: 'done' };
  }
  if (isPlatformAction(action)) {
    const wrong = await controlPlatform(action, platform);
    return wrong === null ? { kind: 'done' } : { kind: 'invalid', message: wrong };
  }
  if (isPhoneAction(action)) {
    const wrong = await controlPhones(action, phones);
    return wrong === null ? { kind: 'done' } : { kind: 'invalid', message: wrong };
  }
  // A reset that names no operator is a reset of the whole sandbox.
  if (action.action === 'reset' && action.operator === undefined) {
    sink.reset();
    platform.reset();
    await phones?.reset();
  }
  const meant = smscs.filter(({ id }) => action.operator === undefined || action.operator === id);
  if (meant.length === 0) return { kind: 'invalid', message: `no operator "${action.operator}"` };
  const results = await Promise.all(meant.map((smsc) => act(smsc, action)));
  if (!results.includes(true)) return { kind: 'invalid', message: 'no message to that number' };
  return { kind: 'done' };
}

/** False when the action names a message that the SMSC does not have. */
async function act(smsc: Smsc, action: SmscAction): Promise<boolean> {
  const { faults } = smsc;
  switch (action.action) {
    case 'pause_answers':
      faults.answersPaused = true;
      return true;
    case 'resume_answers':
      smsc.resumeAnswers();
      return true;
    case 'delay_answers':
      faults.answerDelayMs = action.ms;
      return true;
    case 'duplicate_answers':
      faults.answerCopies = action.copies;
      return true;
    case 'lose_answers':
      faults.loseAnswers(action.count);
      return true;
    case 'refuse_submits':
      faults.refuseSubmits(action.count, action.command_status);
      return true;
    case 'refuse_binds':
      faults.bindStatus = action.command_status;
      return true;
    case 'refuse_sender':
      faults.refusedSenders.add(action.name);
      return true;
    case 'accept_sender':
      faults.refusedSenders.delete(action.name);
      return true;
    case 'hold_receipts':
      smsc.holdReceipts();
      return true;
    case 'release_receipts':
      smsc.releaseReceipts();
      return true;
    case 'duplicate_receipts':
      faults.receiptCopies = action.copies;
      return true;
    case 'send_receipt':
      return smsc.sendReceipt({ to: action.to }, action.status, action.err);
    case 'send_message':
      smsc.sendMessage(action.from, action.to, action.text);
      return true;
    case 'send_raw':
      smsc.sendRaw(Buffer.from(action.hex, 'hex'));
      return true;
    case 'drop_connections':
      smsc.dropConnections();
      return true;
    case 'go_down':
      await smsc.goDown();
      return true;
    case 'come_up':
      await smsc.comeUp();
      return true;
    case 'reset':
      await smsc.reset();
      return true;
  }
}
