// Every order of what phones, network, user and time can do to a call: it ends once, leaves no phone ringing and no timer behind.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { header, tagOf } from '../../../src/sip/headers.ts';
import { parsed, Rig } from './callee.ts';
import { type PhoneAct, Phones } from './phones.ts';

type Step =
  | { kind: 'carry'; to: 'call' | 'phones'; index: number; fate: 'arrive' | 'twice' | 'lost' }
  | { kind: 'carry_all' }
  | { kind: 'phone'; act: PhoneAct; index: number }
  | { kind: 'hang_up' }
  | { kind: 'wait'; ms: number };

const acts: PhoneAct[] = ['trying', 'ring', 'answer', 'answer', 'reject', 'bye', 'bye', 'reinvite', 'update'];
const step = (longestMs: number): fc.Arbitrary<Step> =>
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        kind: fc.constant('carry' as const),
        to: fc.constantFrom('call' as const, 'phones' as const),
        index: fc.nat(20),
        fate: fc.constantFrom('arrive' as const, 'twice' as const, 'lost' as const),
      }),
    },
    { weight: 5, arbitrary: fc.constant<Step>({ kind: 'carry_all' }) },
    {
      weight: 8,
      arbitrary: fc.record({
        kind: fc.constant('phone' as const),
        act: fc.constantFrom(...acts),
        index: fc.nat(2),
      }),
    },
    { weight: 1, arbitrary: fc.constant<Step>({ kind: 'hang_up' }) },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('wait' as const), ms: fc.nat(longestMs) }) },
  );

const RING_MS = 10_000;

/** The call, the phones, and the datagrams between them. */
class World {
  readonly rig: Rig;
  readonly phones: Phones;
  readonly #toPhones: string[] = [];
  #taken = 0;
  delivered = 0;

  constructor(phones: number, reliable: boolean, timer: string | null) {
    this.rig = new Rig({ ringForMs: RING_MS, reliable });
    const headers = timer === null ? [] : [`Session-Expires: ${timer}`, 'Allow: UPDATE'];
    this.phones = new Phones(phones, { headers });
    this.rig.call.start(0);
    this.#collect();
  }

  #collect(): void {
    this.rig.collect();
    for (const { text } of this.rig.sent.slice(this.#taken)) this.#toPhones.push(text);
    this.#taken = this.rig.sent.length;
  }

  #deliver(to: 'call' | 'phones', text: string): void {
    this.delivered += 1;
    if (to === 'call') this.rig.hear(text);
    else this.phones.take(parsed(text), this.rig.now);
    this.#collect();
  }

  do(step: Step): void {
    if (step.kind === 'phone') this.phones.act(step.act, step.index, this.rig.now);
    if (step.kind === 'hang_up') this.rig.hangUp();
    if (step.kind === 'wait') this.wait(step.ms, false);
    if (step.kind === 'carry_all') this.carryAll();
    if (step.kind === 'carry') {
      const queue = step.to === 'call' ? this.phones.out : this.#toPhones;
      const [text] = queue.splice(step.index % Math.max(1, queue.length), 1);
      if (text !== undefined && step.fate !== 'lost') this.#deliver(step.to, text);
      if (text !== undefined && step.fate === 'twice') this.#deliver(step.to, text);
    }
    this.#collect();
  }

  carryAll(): void {
    for (let turn = 0; turn < 1_000; turn += 1) {
      const [answer, request] = [this.phones.out.shift(), this.#toPhones.shift()];
      if (answer === undefined && request === undefined) return;
      if (answer !== undefined) this.#deliver('call', answer);
      if (request !== undefined) this.#deliver('phones', request);
    }
    throw new Error('call and phones answer each other without end');
  }

  wait(ms: number, carries: boolean): void {
    const until = this.rig.now + ms;
    for (let turn = 0; turn < 10_000; turn += 1) {
      if (carries) this.carryAll();
      const at = Math.min(this.rig.call.nextAt() ?? Number.POSITIVE_INFINITY, this.phones.nextAt());
      if (at > until) break;
      this.rig.now = Math.max(this.rig.now, at);
      this.rig.call.tick(this.rig.now);
      this.phones.tick(this.rig.now);
      const next = this.rig.call.nextAt();
      if (next !== null && next <= this.rig.now) throw new Error('the call asks for a tick at once, again');
      this.#collect();
    }
    this.rig.now = until;
  }
}

function checkEnd({ rig, delivered }: World): void {
  expect(rig.ends.length).toBe(1);
  expect(rig.events.at(-1)?.kind).toBe('ended');
  expect([rig.call.over, rig.call.forgotten(rig.now), rig.call.nextAt()]).toEqual([true, true, null]);
  const byes = rig.sent.filter(({ message }) => message.method === 'BYE').map(({ message }) => message);
  for (const ofOne of Map.groupBy(byes, (bye) => tagOf(header(bye, 'to'))).values())
    expect(new Set(ofOne.map((bye) => header(bye, 'via'))).size).toBe(1);
  expect(
    new Set(rig.sent.filter(({ message }) => message.method === 'CANCEL').map(({ text }) => text)).size,
  ).toBeLessThan(2);
  expect(rig.sent.length).toBeLessThan(3 * delivered + 60);
}

const setting = {
  phones: fc.integer({ min: 1, max: 3 }),
  reliable: fc.boolean(),
  timer: fc.constantFrom(null, '90;refresher=uac', '90;refresher=uas'),
};

const twoPhones = { phones: 2, reliable: false, timer: null };
// Beside the phone that answered another rings, and the ACK is lost: nothing that the call sends says that the other is to stop.
const ackLost: Step[] = [
  { kind: 'carry', to: 'phones', index: 0, fate: 'arrive' },
  { kind: 'phone', act: 'answer', index: 0 },
  { kind: 'carry', to: 'call', index: 0, fate: 'arrive' },
  { kind: 'carry', to: 'phones', index: 0, fate: 'lost' },
  { kind: 'phone', act: 'ring', index: 1 },
];

it('ends once and leaves no phone ringing or up, whatever happens in its first 25 s', () => {
  const ends = new Map<string, number>();
  fc.assert(
    fc.property(
      fc.record(setting),
      fc.array(step(3_000), { minLength: 5, maxLength: 60, size: 'max' }),
      fc.nat(20_000),
      (set, steps, moreMs) => {
        // Over TCP nothing is sent twice, so nothing may be lost.
        const world = new World(set.phones, set.reliable, set.timer);
        for (const each of steps) {
          if (world.rig.now > 22_000) break;
          world.do(set.reliable && each.kind === 'carry' ? { ...each, fate: 'arrive' } : each);
        }
        world.wait(moreMs, true);
        world.do({ kind: 'hang_up' });
        world.wait(300_000, true);
        checkEnd(world);
        expect(world.phones.phones.filter(({ state }) => state === 'ringing' || state === 'up')).toEqual([]);
        expect(world.phones.givenUp).toEqual([]);
        const how = String(world.rig.end.how);
        ends.set(how, (ends.get(how) ?? 0) + 1);
      },
    ),
    {
      numRuns: 1_000,
      examples: [
        [twoPhones, ackLost, 0],
        [twoPhones, ackLost, 40_000], // longer than the 200 is repeated: only another ACK ends that
      ],
    },
  );
  // The orders reach all ends but a refused connection, so that none is let through unseen.
  const all = ['canceled', 'completed', 'hung_up', 'no_answer_at_all', 'refused', 'ring_time_up'];
  expect([...ends.keys()].filter((how) => how !== 'timer').sort()).toEqual(all);
});

it('ends once and comes to rest, however long the network loses and repeats', () => {
  fc.assert(
    fc.property(
      fc.record(setting),
      fc.array(step(40_000), { minLength: 5, maxLength: 60, size: 'max' }),
      (set, steps) => {
        const world = new World(set.phones, set.reliable, set.timer);
        for (const each of steps) world.do(each);
        world.do({ kind: 'hang_up' });
        world.wait(300_000, false);
        checkEnd(world);
      },
    ),
    { numRuns: 500 },
  );
});

it('never throws and comes to rest, whatever text it hears', () => {
  const names = [
    'CSeq',
    'To',
    'From',
    'Via',
    'Contact',
    'Record-Route',
    'Session-Expires',
    'WWW-Authenticate',
    'Require',
  ];
  const octets = fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes).toString('latin1'));
  const line = fc.record({ name: fc.constantFrom(...names), value: octets });
  fc.assert(
    fc.property(
      fc.constantFrom(
        'INVITE',
        'ACK',
        'BYE',
        'UPDATE',
        'INFO',
        'CANCEL',
        '100',
        '180',
        '200',
        '401',
        '422',
        '491',
        '487',
      ),
      fc.array(line, { maxLength: 4 }),
      fc.boolean(),
      (what, lines, isUp) => {
        const rig = isUp ? Rig.up() : Rig.ringing();
        const [request] = rig.all('INVITE');
        const number = Number(what);
        const text = number ? `SIP/2.0 ${number} X` : `${what} sip:x SIP/2.0`;
        const kept = ['via', 'from', 'to', 'cseq', 'call-id'].filter(
          (name) => !lines.some((each) => each.name.toLowerCase() === name),
        );
        const own = kept.map((name) => `${name}: ${header(request!, name)}`);
        const others = lines.map(({ name, value }) => `${name}: ${value.replace(/[\r\n]/g, ' ')}`);
        rig.hear(`${[text, ...own, ...others].join('\r\n')}\r\n\r\n`);
        rig.hangUp();
        rig.run(1_000_000);
        expect([rig.ends.length, rig.call.nextAt()]).toEqual([1, null]);
      },
    ),
    { numRuns: 200 },
  );
});
