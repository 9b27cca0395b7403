// A voice channel over a caller that does what the test says: no sound, no network, and time in the test's hand.

import type { AnsweredCall, CarrierReceipt, OutgoingMessage } from '../../../../src/channels/channel.ts';
import type { Caller, CallListener, CallRequest, EndHow, Placed } from '../../../../src/channels/voice/caller.ts';
import { VoiceChannel } from '../../../../src/channels/voice/voice.ts';
import type { TrunkConfig } from '../../../../src/config.ts';
import type { CallReport } from '../../../../src/core/verify/call.ts';

export const trunkConfig = (change: Partial<TrunkConfig> = {}): TrunkConfig => ({
  name: 'main',
  address: '192.0.2.10:5060',
  alsoFrom: [],
  transport: 'udp',
  tls: null,
  username: null,
  password: null,
  digest: 'any',
  domain: null,
  local: { host: '127.0.0.1', port: 0 },
  advertise: null,
  callerId: '+213210000000',
  assertedIdentity: null,
  numberFormat: 'plus',
  countryCode: null,
  prefixes: ['+213'],
  channels: 4,
  callsPerSecond: 1000,
  ringSeconds: 28,
  optionsSeconds: 0,
  tariff: [
    {
      version: '1',
      validFrom: '2026-01-01T00:00:00Z',
      currency: 'DZD',
      amount: '6.00',
      per: 'minute',
      minimumSeconds: 30,
      charged: 'answer',
    },
  ],
  ...change,
});

export const message = (change: Partial<OutgoingMessage> = {}): OutgoingMessage => ({
  id: 'msg_1',
  sessionId: 'ses_1',
  accountId: 'acc_1',
  mode: 'live',
  channel: 'voice',
  route: 'voice/main',
  to: '+213550000001',
  senderId: null,
  language: 'fr',
  code: '407218',
  autofill: {},
  wording: null,
  expiresAt: 1_800_000_000_000,
  ...change,
});

export const report = (change: Partial<CallReport> = {}): CallReport => ({
  state: 'ringing',
  ringMs: null,
  answeredAt: null,
  talkSeconds: null,
  sipCode: null,
  q850: null,
  keys: 0,
  readings: 0,
  trunk: 'main',
  ended: false,
  ...change,
});

/** One try, waiting for the test to say what becomes of it. */
export interface Try {
  request: CallRequest;
  listener: CallListener;
  ring(): void;
  refuse(status: number, change?: Partial<CallReport> & { retryAfterSeconds?: number }): void;
  settle(placed: Placed): void;
}

export function setUp(configs: readonly TrunkConfig[] = [trunkConfig()]) {
  let now = 1_767_300_000_000;
  const tries: Try[] = [];
  const ends: [id: string, how: EndHow][] = [];
  const receipts: CarrierReceipt[] = [];
  const answered: AnsweredCall[] = [];
  const words: [trunk: string, word: string][] = [];
  const failures: unknown[] = [];
  const trouble = { times: 0 };
  /** What the caller throws, though it never should. */
  const refuse: { with: Error | null } = { with: null };
  const store = async (keep: () => void) => {
    if (trouble.times > 0) {
      trouble.times -= 1;
      throw new Error('the database is away');
    }
    keep();
  };
  const caller: Caller = {
    place: (request, listener) =>
      new Promise((resolve, reject) => {
        if (refuse.with) return reject(refuse.with);
        const { trunk, id, attempt } = request;
        const callId = `${id}.${attempt}`;
        tries.push({
          request,
          listener,
          settle: resolve,
          ring: () => {
            listener.rang(callId, report({ trunk }));
            resolve({ kind: 'ringing', callId, report: report({ trunk }) });
          },
          refuse: (status, { retryAfterSeconds = null as number | null, ...change } = {}) => {
            const stands = { state: 'unreachable', ended: true, talkSeconds: 0, ringMs: 40, sipCode: status } as const;
            const call = report({ ...stands, trunk, ...change });
            resolve({ kind: 'refused', callId, report: call, status, retryAfterSeconds });
          },
        });
      }),
    end: (id, how) => ends.push([id, how]),
  };
  const channel = new VoiceChannel({
    caller,
    requireKey: () => true,
    spokenLanguage: async () => 'fr',
    intake: {
      take: (receipt) => store(() => receipts.push(receipt)),
      takeAnswered: (each) => store(() => answered.push(each)),
    },
    now: () => now,
    onCall: (trunk, word) => words.push([trunk, word]),
    onError: (error) => failures.push(error),
  });
  channel.configure(configs);
  /** All slots of every trunk, as a lone process has them. */
  const holdAll = () => {
    for (const [name, count] of channel.bindCounts()) {
      void channel.setSlots(
        name,
        Array.from({ length: count }, (_, slot) => slot),
      );
    }
  };
  holdAll();
  const abort = new AbortController();
  const send = async (change: Partial<OutgoingMessage> = {}) => {
    const place = await channel.reserve(change.route ?? 'voice/main', abort.signal);
    if (!place) throw new Error('no place');
    return place.send(message(change));
  };
  return {
    channel,
    tries,
    ends,
    receipts,
    answered,
    words,
    failures,
    trouble,
    refuse,
    abort,
    send,
    holdAll,
    now: () => now,
    pass: (ms: number) => {
      now += ms;
    },
    /** Lets promises that are due be carried on. */
    turn: () => new Promise((resolve) => setImmediate(resolve)),
  };
}
