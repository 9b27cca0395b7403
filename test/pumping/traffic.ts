// Made-up traffic of one account, for measuring the pumping guard: twelve honest kinds and fifteen attacks. All numbers are of a country with three
// operators and 300 million numbers.

import type { Random } from '../simulate/random.ts';

/** A session that is asked for. Times in ms. */
export interface MadeSend {
  at: number;
  to: string;
  /** From the send to the right code; null = it is never entered. */
  verifiedAfter: number | null;
  delivered: boolean;
  /** Sent by the attacker, where an honest account is attacked. */
  isAttack: boolean;
  /** The code is the caller's own; `reports`: it was made here, and the caller only says that it was entered. */
  claim?: 'own_code' | 'reports';
}

/** Asks for the sends in the order of their times. What was refused is told, because an attacker reacts to that. */
export type Traffic = (random: Random) => Generator<MadeSend, void, boolean>;

export interface Kind {
  name: string;
  attack: boolean;
  traffic: Traffic;
}

const second = 1_000;
const minute = 60_000;

/** Half of those who enter their code have done so after `medianMs`: log-logistic, with a long tail. */
const entered = (random: Random, share: number, medianMs: number): number | null => {
  if (!random.chance(share)) return null;
  const part = random.next();
  const after = medianMs * (part / (1 - part)) ** (1 / 2.2);
  return after > 600_000 ? null : after;
};

const national = (random: Random): string =>
  `+213${random.pick(['5', '6', '7'])}${String(random.between(0, 99_999_999)).padStart(8, '0')}`;

interface Honest {
  perSecond: number | ((at: number) => number);
  forMs: number;
  share: number;
  medianMs?: number;
  number?(random: Random, nth: number): string;
  isDelivered?(at: number): boolean;
  ownCodes?: boolean;
}

/** Users who come independently of each other (a Poisson process). */
function honest({ perSecond, forMs, share, medianMs = 25_000, number = national, ...more }: Honest): Traffic {
  return function* (random) {
    const rate = typeof perSecond === 'number' ? () => perSecond : perSecond;
    let nth = 0;
    for (let at = 0; ; nth += 1) {
      at += (-Math.log(1 - random.next()) * second) / rate(at);
      if (at >= forMs) return;
      const delivered = more.isDelivered?.(at) ?? true;
      const verifiedAfter = delivered ? entered(random, share, medianMs) : null;
      const own = more.ownCodes ? { claim: 'own_code' as const } : {};
      yield { at, to: number(random, nth), verifiedAfter, delivered, isAttack: false, ...own };
    }
  };
}

/** From a send to the report of its answer by the same script. */
const claimedMs = 20;

interface Attack {
  perSecond: number;
  burst?: number;
  forMs: number;
  /** Share of the sends that the attacker verifies, with numbers that are really his. */
  fake?: number;
  /** Says at once of every code that it was entered. */
  claim?: MadeSend['claim'];
  number(random: Random, nth: number, refused: number): string;
}

/** A script at a constant rate, all of whose messages are delivered. */
function attack({ perSecond, burst = 0, forMs, fake = 0, claim, number }: Attack): Traffic {
  return function* (random) {
    let refused = 0;
    for (let nth = 0; ; nth += 1) {
      const at = (Math.max(0, nth - burst) * second) / perSecond;
      if (at >= forMs) return;
      const verifiedAfter = claim ? claimedMs : random.chance(fake) ? 20_000 : null;
      const claimed = claim ? { claim } : {};
      const to = number(random, nth, refused);
      const went = yield { at, to, verifiedAfter, delivered: true, isAttack: true, ...claimed };
      if (!went) refused += 1;
    }
  };
}

/** Both at once. */
function mixed(one: Traffic, other: Traffic): Traffic {
  return function* (random) {
    const lines = [one(random), other(random)];
    const heads = lines.map((line) => line.next());
    for (;;) {
      const open = heads.map((head, at) => ({ head, at })).filter(({ head }) => !head.done);
      const first = open.sort((a, b) => timeOf(a.head) - timeOf(b.head))[0];
      if (!first) return;
      const went = yield first.head.value as MadeSend;
      heads[first.at] = (lines[first.at] as (typeof lines)[number]).next(went);
    }
  };
}

const timeOf = (head: IteratorResult<MadeSend, void>): number => (head.value as MadeSend).at;

const digits = (value: number, count: number): string => String(value).padStart(count, '0');

/** Numbers one after another from anywhere, from somewhere else after every fifth refusal. */
function counting(distance: number) {
  let [from, jumps] = [0, -1];
  return (random: Random, nth: number, refused: number) => {
    if (nth === 0 || Math.floor(refused / 5) > jumps) {
      jumps = nth === 0 ? 0 : Math.floor(refused / 5);
      from = random.between(0, 299_000_000) - nth * distance;
    }
    const at = from + nth * distance;
    return `+213${5 + (Math.floor(at / 100_000_000) % 3)}${digits(((at % 100_000_000) + 100_000_000) % 100_000_000, 8)}`;
  };
}

const inOneBlock = (random: Random) => `+2135512${digits(random.between(0, 99_999), 5)}`;

const sequential = (perSecond: number, forMs: number, claim?: MadeSend['claim']) =>
  attack({
    perSecond,
    burst: 100,
    forMs,
    ...(claim ? { claim } : {}),
    number: (_, nth) => `+2135512${digits(nth, 5)}`,
  });

const companyPhone = (random: Random) => `+21361234${digits(random.between(5_000, 5_399), 4)}`;

export const kinds: readonly Kind[] = [
  ['a small shop: 20 an hour', honest({ perSecond: 20 / 3600, forMs: 240 * minute, share: 0.6 })],
  ['a national app: 5 a second', honest({ perSecond: 5, forMs: 6 * minute, share: 0.65 })],
  ['a site where 30 % verify', honest({ perSecond: 2, forMs: 20 * minute, share: 0.3 })],
  [
    'a campaign: from 1 to 50 a second at once',
    honest({ perSecond: (at) => (at > 5 * minute ? 50 : 1), forMs: 9 * minute, share: 0.35, medianMs: 60_000 }),
  ],
  ['slow users: half after four minutes', honest({ perSecond: 2, forMs: 25 * minute, share: 0.4, medianMs: 240_000 })],
  [
    'the 400 phones of one company, in 20 minutes',
    honest({
      perSecond: 1 / 3,
      forMs: 20 * minute,
      share: 0.7,
      number: companyPhone,
    }),
  ],
  [
    'users of one range of a million numbers',
    honest({
      perSecond: 2,
      forMs: 15 * minute,
      share: 0.4,
      number: (random) => `+213551${digits(random.between(0, 999_999), 6)}`,
    }),
  ],
  [
    'an operator that delivers nothing for 15 minutes',
    honest({
      perSecond: 2,
      forMs: 35 * minute,
      share: 0.5,
      isDelivered: (at) => at < 10 * minute || at > 25 * minute,
    }),
  ],
  ['codes of its own that nobody reports', honest({ perSecond: 2, forMs: 20 * minute, share: 0, ownCodes: true })],
  [
    'codes of its own, all outcomes reported: 5 a second',
    honest({ perSecond: 5, forMs: 6 * minute, share: 0.65, ownCodes: true }),
  ],
  [
    'the 400 phones of one company, with codes of its own',
    honest({ perSecond: 1 / 3, forMs: 20 * minute, share: 0.7, ownCodes: true, number: companyPhone }),
  ],
  [
    'a probe: one number every ten seconds, never verified',
    honest({ perSecond: 0.1, forMs: 120 * minute, share: 0, number: () => '+213770000001' }),
  ],
].map(([name, traffic]) => ({ name: name as string, attack: false, traffic: traffic as Traffic }));

export const attacks: readonly Kind[] = [
  ['sequential numbers at 60 a second, after a burst of 100', sequential(60, 10 * minute)],
  [
    'sequential, going on elsewhere when refused',
    (random: Random) => attack({ perSecond: 50, burst: 100, forMs: 5 * minute, number: counting(1) })(random),
  ],
  [
    'sequential, 18 a minute, beside an honest 50 a second',
    mixed(
      honest({ perSecond: 50, forMs: 8 * minute, share: 0.5 }),
      attack({ perSecond: 0.3, forMs: 8 * minute, number: (_, nth) => `+2135512${digits(nth, 5)}` }),
    ),
  ],
  [
    'every 37th number',
    attack({ perSecond: 50, burst: 100, forMs: 5 * minute, number: (_, nth) => `+213551${digits(nth * 37, 6)}` }),
  ],
  [
    'sequential, beside an honest 2 a second',
    mixed(honest({ perSecond: 2, forMs: 15 * minute, share: 0.5 }), sequential(50, 10 * minute)),
  ],
  [
    'random numbers of one block of 100,000',
    attack({ perSecond: 50, burst: 100, forMs: 5 * minute, number: inOneBlock }),
  ],
  [
    'random numbers of one block, 5 % verified',
    attack({ perSecond: 50, burst: 100, forMs: 5 * minute, fake: 0.05, number: inOneBlock }),
  ],
  ['sequential, every code reported as verified at once', sequential(60, 10 * minute, 'reports')],
  ['sequential, codes of its own, all claimed to be verified', sequential(60, 10 * minute, 'own_code')],
  [
    'random numbers of one block, codes of its own, all claimed',
    attack({ perSecond: 50, burst: 100, forMs: 5 * minute, claim: 'own_code', number: inOneBlock }),
  ],
  [
    'random numbers of the whole country, every code reported',
    attack({ perSecond: 50, burst: 100, forMs: 6 * minute, claim: 'reports', number: national }),
  ],
  ['random numbers of the whole country', attack({ perSecond: 50, burst: 100, forMs: 6 * minute, number: national })],
  ['a drip: one of a block every 20 seconds', attack({ perSecond: 0.05, forMs: 240 * minute, number: inOneBlock })],
  ['a drip: one of a block every 2 minutes', attack({ perSecond: 1 / 120, forMs: 240 * minute, number: inOneBlock })],
  [
    'random numbers of the whole country, 10 % verified',
    attack({ perSecond: 50, burst: 100, forMs: 6 * minute, fake: 0.1, number: national }),
  ],
].map(([name, traffic]) => ({ name: name as string, attack: true, traffic: traffic as Traffic }));
