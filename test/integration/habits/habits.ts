// The frame of the tables of habits: what SMSCs do that a careful integration meets, one row each. Every row has an SMSC of its own, on
// npm `smpp` or (test/peers/smpp/habits.test.ts) on Perl's Net::SMPP, and an operator of its own in one running service; one live send goes to
// each, all at once, and each row says what came of it. A row that describes a fault keeps today's outcome as its expectation until the fault is mended.
import smpp, { type Session as Connection, type Pdu } from 'smpp';
import { afterAll, expect, test } from 'vitest';
import { Smsc } from '../../support/npm-smsc.ts';
import { bindsOf, type LocalServer, testService } from '../../support/service.ts';
import type { ErrorBody, Sent, Session } from '../../support/service-client.ts';
import { until } from '../../support/wait.ts';

export interface Row {
  /** Also the operator's id. */
  name: string;
  /** What the SMSC does. */
  does: string;
  /** Settings of the operator that docs/operators.md has for the habit. */
  operator?: Record<string, unknown>;
  /** Settings of its binds. */
  bind?: Record<string, unknown>;
  /** False: the message is sent although no bind is up. Default true. */
  binds?: boolean;
  /** The message is sent once the operator is seen to be so, and is refused: `outcome` is of `refused` alone. */
  standing?: string;
  /** The only leg. Default 4; 30 where the code is to be delivered, which ends it at once. */
  legSeconds?: number;
  /** Waited for before the outcome is looked at; default: the code is delivered, or the cascade exhausted. */
  settled?(seen: Seen): boolean;
  /** Compared with `toMatchObject`. */
  outcome: { [Field in keyof Seen]?: unknown };
}

/** A row whose SMSC is on npm `smpp`. */
export interface Habit extends Row {
  /** Teaches the SMSC the habit; default: it takes every message and reports it delivered. */
  play?(smsc: Smsc): void;
  tls?: { key: string; cert: string };
}

/** The SMSC of a row, whatever it is made on. */
export interface RowSmsc {
  port: number;
  /** PDUs of that name that came in so far. */
  count(name: string): number;
  close(): Promise<unknown>;
}

/** What can be seen of one send, at the API and at the SMSC. */
export interface Seen {
  delivery: string;
  /** Status of the message, with its reason where it has one: `unknown timeout`. */
  message: string;
  /** Why the send was refused, where there is no session. */
  refused?: string;
  /** Status of each receipt in the session. */
  receipts: string[];
  /** Kind of each entry, with its reason where it has one. */
  timeline: string[];
  session: Session;
  /** submit_sm that came in. */
  submits: number;
  /** generic_nack that came in. */
  nacks: number;
  /** From `submitted_at` to `final_at`, to the nearest ten minutes; null where one of the two is missing. */
  finalAfterMinutes: number | null;
}

/** The running service, for what only its log, its metrics and its webhooks show. */
type Played = LocalServer & Pick<Awaited<ReturnType<typeof testService>>['sandbox'], 'events'>;

/** Plays all rows: one test each. To be called once, at the top of a test file. */
export const playHabits = (habits: readonly Habit[]): Promise<Played> => playRows(habits, started);

/** The same with SMSCs of another make. */
export async function playRows<Of extends Row>(
  habits: readonly Of[],
  start: (row: Of) => Promise<RowSmsc>,
): Promise<Played> {
  const smscs = await Promise.all(habits.map(start));
  afterAll(() => Promise.all(smscs.map((smsc) => smsc.close())));
  const service = await testService({
    errorsExpected: true, // refused binds are alarms
    // A receipt that is to be found by its phone comes first, however long the machine stands still.
    config: {
      scenario_prefix: null,
      verify: { in_doubt_seconds: 30 },
      operators: habits.map((habit, index) => operatorOf(habit, index, smscs[index]!)),
    },
  });
  const server = await service.startHere();
  const sends = await Promise.all(habits.map((habit, index) => sent(server, habit, index)));
  test.each(habits.map((habit, index) => ({ ...habit, index })))('$name: $does', async ({ index, ...habit }) => {
    const { settled = ({ delivery }) => delivery !== 'sending' } = habit;
    const { id, refused } = sends[index]!;
    if (id === undefined) return expect({ refused }).toEqual(habit.outcome);
    const look = async () => seenIn(await server.live.session(id), smscs[index]!);
    const seen = await until(async () => (await look().then((now) => settled(now) && now)) || null, {
      what: `${habit.name} to settle`,
    });
    expect(seen).toMatchObject(habit.outcome);
  });
  return { ...server, events: () => service.sandbox.events() };
}

async function started({ play = delivers, tls = undefined }: Habit): Promise<RowSmsc> {
  const smsc = await Smsc.listen(tls);
  play(smsc);
  return { port: smsc.port, count: (name) => smsc.of(name).length, close: () => smsc.close() };
}

function operatorOf({ name, operator, bind }: Row, index: number, { port }: RowSmsc) {
  return {
    id: name,
    name,
    prefixes: [prefixOf(index)],
    rate_per_second: 100,
    time_zone: 'UTC',
    binds: [{ host: '127.0.0.1', port, system_id: 'ramz', password: 'secret08', ...bind }],
    tariff: [
      { version: '1', valid_from: '2020-01-01T00:00:00Z', currency: 'DZD', amount: '2.50', charged: 'delivery' },
    ],
    ...operator,
  };
}

const prefixOf = (index: number): string => `+21377${String(index).padStart(2, '0')}`;

/** Sends as soon as the operator's bind is up, or the operator as the row says. */
async function sent(server: LocalServer, habit: Row, index: number): Promise<{ id?: string; refused?: string }> {
  const { name, standing, binds = standing === undefined } = habit;
  const { legSeconds = habit.outcome.delivery === 'delivered' ? 30 : 4 } = habit;
  if (binds) await until(async () => ((await bindsOf(server))[name] ?? 0) > 0, { what: `a bind of ${name}` });
  if (standing) await until(async () => (await standingOf(server, name)) === standing, { what: `${name} ${standing}` });
  const body = { to: `${prefixOf(index)}12345`, cascade: [{ channel: 'sms', timeout_seconds: legSeconds }] };
  const answer = await server.live.call<Partial<Sent & ErrorBody>>('POST', '/v1/verify/send', body);
  if (answer.body.id) return { id: answer.body.id };
  const { code, reasons } = answer.body.error as ErrorBody['error'] & { reasons: string };
  return { refused: `${code} ${reasons}` };
}

async function standingOf({ metrics }: LocalServer, name: string): Promise<string | undefined> {
  const ready = (await (await fetch(`${metrics}/readyz`)).json()) as {
    operators: { operator: string; standing: string }[];
  };
  return ready.operators.find(({ operator }) => operator === name)?.standing;
}

function seenIn(session: Session, smsc: RowSmsc): Seen {
  const message = session.messages[0];
  const words = (...parts: (string | undefined)[]) => parts.filter(Boolean).join(' ');
  return {
    delivery: session.delivery,
    message: words(message?.status, message?.reason),
    receipts: message?.receipts.map(({ status }) => status) ?? [],
    timeline: session.timeline.map(({ kind, reason }) => words(kind, reason)),
    session,
    submits: smsc.count('submit_sm'),
    nacks: smsc.count('generic_nack'),
    finalAfterMinutes: message?.submitted_at && message.final_at ? tens(message.submitted_at, message.final_at) : null,
  };
}

// `+ 0`: a hair before is no negative zero.
const tens = (from: string, to: string): number => Math.round((Date.parse(to) - Date.parse(from)) / 600_000) * 10 + 0;

/** A message that the SMSC took, and its id in the answer. */
export interface Taken {
  id: string;
  submit: Pdu;
}

/** A receipt as most SMSCs write it: fields of a deliver_sm, its text in octets. */
export function receiptOf({ id, submit }: Taken, words: { stat?: string; err?: string; done?: string } = {}) {
  const now = new Date().toISOString().replace(/\D/g, '').slice(2, 12);
  const { stat = 'DELIVRD', err = '000', done = now } = words;
  const text = `id:${id} sub:001 dlvrd:001 submit date:${now} done date:${done} stat:${stat} err:${err} text:`;
  return {
    source_addr: submit.destination_addr as string,
    destination_addr: submit.source_addr as string,
    esm_class: 4,
    short_message: Buffer.from(text, 'latin1') as Buffer | string,
  };
}

/** Takes every message, and sends for it the deliver_sm that `write` makes. */
export function reports(write: (taken: Taken) => Record<string, unknown>): (smsc: Smsc) => void {
  return (smsc) => {
    smsc.onSubmit = (submit, connection) => {
      const id = smsc.accept(submit, connection);
      void smsc.deliver(connection, write({ id, submit }));
    };
  };
}

export const delivers = reports((taken) => receiptOf(taken));

/** Answers a request with any PDU at all; `fields` may hold a command_status. */
export function answer(connection: Connection, request: Pdu, fields: Record<string, unknown>): void {
  connection.send(request.response(fields));
}

/** A PDU that npm `smpp` can write, with a sequence number of the caller's choice where it gives one. */
export function push(connection: Connection, command: string, fields: Record<string, unknown> = {}): void {
  connection.send(new smpp.PDU(command, fields));
}
