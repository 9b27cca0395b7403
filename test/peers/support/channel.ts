// Our SMS channel with one operator, and a spy in place of the engine: what a peer test of SMPP needs and no more.
import { afterEach } from 'vitest';
import type { CarrierReceipt, LateAnswer, OutgoingMessage, SendOutcome } from '../../../src/channels/channel.ts';
import { SmsChannel } from '../../../src/channels/sms/sms.ts';
import { loadConfig, type OperatorConfig } from '../../../src/config.ts';
import { newKeyRing } from '../../../src/core/secrets/key-ring.ts';
import type { BindState, Oddity } from '../../../src/smpp/index.ts';
import { until } from '../../support/wait.ts';

export const CODE = '482913';

/** An entry of `operators` in the configuration file, read as the service reads it: every default is the real one. */
export function operatorConfig(settings: Record<string, unknown>): OperatorConfig {
  const operator = {
    id: 'peer',
    name: 'Peer',
    prefixes: ['+21355'],
    rate_per_second: 1000,
    time_zone: 'UTC',
    tariff: [
      { version: '1', valid_from: '2020-01-01T00:00:00Z', currency: 'DZD', amount: '2.50', charged: 'delivery' },
    ],
    ...settings,
  };
  const files: Record<string, string> = {
    config: JSON.stringify({ operators: [operator] }),
    keys: newKeyRing((size) => Buffer.alloc(size, 7)),
  };
  const env = { RAMZ_CONFIG: 'config', RAMZ_KEY_RING: 'keys', DATABASE_URL: 'postgres://unused' };
  const loaded = loadConfig({ env, readFile: (path) => files[path] ?? '' });
  if (loaded.kind === 'invalid') throw new Error(JSON.stringify(loaded.errors));
  return loaded.config.operators[0] as OperatorConfig;
}

export interface TestChannel {
  channel: SmsChannel;
  receipts: CarrierReceipt[];
  unreadable: string[];
  late: LateAnswer[];
  /** What happened, in order: outcomes of `send` and receipts. */
  order: string[];
  states: BindState[];
  oddities: Oddity[];
  errors: unknown[];
  /** Waits for a place and sends a code to the number. */
  send(change?: Partial<OutgoingMessage>, signal?: AbortSignal): Promise<SendOutcome | null>;
  bound(): Promise<void>;
}

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(closers.splice(0).map((close) => close()));
});

let messages = 0;

/** Holds all binds of the operator; closed with the test. `take` may hold a receipt up, or fail. */
export function testChannel(config: OperatorConfig, take: () => Promise<void> = async () => {}): TestChannel {
  const seen = { receipts: [], unreadable: [], late: [], order: [], states: [], oddities: [], errors: [] } as Omit<
    TestChannel,
    'channel' | 'send' | 'bound'
  >;
  const channel = new SmsChannel({
    operators: [config],
    service: () => ({ brand: 'Ramz', defaultSenderId: 'Ramz' }),
    intake: {
      take: async (receipt) => {
        await take();
        seen.receipts.push(receipt);
        seen.order.push(`receipt ${receipt.receipt.status}`);
      },
      takeUnreadable: async ({ reason }) => void seen.unreadable.push(reason),
      takeLateAnswer: async (answer) => void seen.late.push(answer),
      takeAnswered: async () => {},
    },
    now: Date.now,
    onReport: () => {},
    observer: () => ({
      onState: (state) => void seen.states.push(state),
      onOddity: (oddity) => void seen.oddities.push(oddity),
    }),
    onError: (error) => void seen.errors.push(error),
  });
  const slots = Array.from({ length: channel.bindCounts().get(config.id) ?? 0 }, (_, slot) => slot);
  void channel.setSlots(config.id, slots);
  closers.push(() => channel.close());

  const send: TestChannel['send'] = async (change = {}, signal = new AbortController().signal) => {
    messages += 1;
    const message: OutgoingMessage = {
      id: `msg_${messages}`,
      sessionId: `vrf_${messages}`,
      accountId: 'acct_1',
      mode: 'live',
      channel: 'sms',
      route: `sms/${config.id}`,
      to: '+213551234567',
      senderId: 'Ramz',
      language: 'fr',
      code: CODE,
      autofill: {},
      wording: null,
      expiresAt: Date.now() + 600_000,
      ...change,
    };
    const place = await channel.reserve(message.route, signal);
    const outcome = (await place?.send(message)) ?? null;
    seen.order.push(outcome?.kind ?? 'no place');
    return outcome;
  };
  const bound = async () => {
    const all = () => slots.every((slot) => channel.isBound(config.id, slot));
    await until(all, { what: 'the channel to be bound' });
  };
  return { ...seen, channel, send, bound };
}
