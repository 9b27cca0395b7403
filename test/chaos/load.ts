// The load: sends at a fixed rate whatever becomes of them (open loop), and checks of a part of the codes that arrive.
import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from './client.ts';
import type { Ledger, Sent } from './ledger.ts';
import type { Random } from './random.ts';

export interface LoadOptions {
  client: Client;
  ledger: Ledger;
  random: Random;
  ratePerSecond: number;
  durationMs: number;
  /** Each call begins at any of them. */
  processes: number;
  /** Of the sessions whose code arrives. */
  checkShare: number;
  prefixes: readonly string[];
  /** Scenario number whose receipts never come. */
  silentNumber: string;
  /** Ends waiting for codes of messages that were never submitted. */
  signal: AbortSignal;
}

const silentShare = 0.05;
const replayShare = 0.02;
const tickMs = 10;
/** Scenario numbers end in 00000NN: nobody's own number begins like that. */
const firstNumber = 1_000_000;

/** Resolves with the time the sends took, ms, once every send and every check has its answer or was given up. */
export async function runLoad(options: LoadOptions): Promise<number> {
  const { ratePerSecond, durationMs } = options;
  const started = Date.now();
  const calls = new Set<Promise<void>>();
  const total = Math.floor((ratePerSecond * durationMs) / 1000);
  let n = 0;
  while (n < total) {
    const due = Math.min(total, Math.ceil(((Date.now() - started) / 1000) * ratePerSecond));
    for (; n < due; n += 1) {
      const call = one(options, n).finally(() => calls.delete(call));
      calls.add(call);
    }
    await pause(tickMs);
  }
  const tookMs = Date.now() - started;
  await Promise.all(calls);
  return tookMs;
}

async function one(options: LoadOptions, n: number): Promise<void> {
  const { ledger, random } = options;
  // All choices of one session are drawn here, in the order of `n`: answers come in an order of their own.
  const draw = {
    silent: random.chance(silentShare),
    replayed: random.chance(replayShare),
    checked: random.chance(options.checkShare),
    manner: random.next(),
    server: random.int(options.processes),
    prefix: random.pick(options.prefixes),
  };
  const key = `send-${n}`;
  const sent: Sent = draw.silent
    ? { key, kind: 'silent', ids: new Set(), attempts: 0, to: options.silentNumber, purpose: `p${n}` }
    : { key, kind: 'plain', ids: new Set(), attempts: 0, to: `${draw.prefix}${firstNumber + n}`, purpose: '' };
  ledger.sent.push(sent);
  const request = {
    to: sent.to,
    purpose: sent.purpose,
    code_length: 10,
    // A minute for what must be sent; the shortest leg and life where the deadlines are what is looked at.
    ...(draw.silent ? { ttl_seconds: 60 } : {}),
    cascade: [{ channel: 'sms', timeout_seconds: draw.silent ? 5 : 60 }],
  };
  const id = await send(options, sent, request, draw.server);
  if (id === null) return;
  if (draw.replayed) await send(options, sent, request, draw.server + 1);
  if (draw.checked && !draw.silent) await check(options, sent.to, id, draw);
}

async function send({ client }: LoadOptions, sent: Sent, request: object, server: number): Promise<string | null> {
  const answer = await client.post('/v1/verify/send', request, sent.key, server);
  if (answer?.status !== 200) return null;
  sent.attempts ||= answer.attempts;
  sent.ids.add(answer.body.id);
  return answer.body.id;
}

/** One right check, or two at once on two servers, or a wrong one before it. */
async function check(
  options: LoadOptions,
  to: string,
  id: string,
  { manner, server }: { manner: number; server: number },
): Promise<void> {
  const code = await options.ledger.codeFor(to, options.signal);
  if (code === null) return;
  const key = `check-${id}`;
  if (manner < 0.1)
    await checkOnce(options, id, code === '0000000000' ? '1111111111' : '0000000000', `${key}-wrong`, server);
  const right = [checkOnce(options, id, code, key, server)];
  if (manner > 0.8) right.push(checkOnce(options, id, code, `${key}-too`, server + 1));
  await Promise.all(right);
}

async function checkOnce({ client, ledger }: LoadOptions, id: string, code: string, key: string, server: number) {
  const checked = { sessionId: id, key, correct: !key.endsWith('-wrong'), answers: [] as boolean[] };
  ledger.checked.push(checked);
  const answer = await client.post('/v1/verify/check', { id, code }, key, server);
  if (answer?.status === 200) checked.answers.push(answer.body.valid);
}
