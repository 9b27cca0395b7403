// The people that each number has written to in the last 24 hours, which the platform limits for a whole business ("Messaging limits"). They
// are noted in memory as messages go out and stored every few seconds, away from what a send waits for. What a killed process had not stored is
// not counted: the platform has its own count, and a message beyond its limit is refused like any other.
//
// A person is stored as 24 bits of a keyed hash of the phone, so that the table is no list of phones and holds nothing to erase. The hash is keyed,
// because 24 bits of a plain one would single out two or three phones of a country. People who share the 24 bits count once: of 2,000 people one
// in 17,000 is missed, of 100,000 one in 300. After a rotation of the ring a person has another hash: what was stored under the old one is
// deleted with the next message, as long as the ring still has the old key.

import { clientHash, formerClientHashes } from '../../core/limits/client.ts';
import { peopleOf } from '../../core/waba/link.ts';
import { countRecipients, deleteRecipients, saveRecipients } from '../../db/waba/recipients.ts';
import { Wakeup } from '../../time/on-demand.ts';
import { dayMs, elapsedMs } from '../../time/wall-clock.ts';
import type { WabaContext } from './context.ts';
import type { OwnNumber } from './numbers.ts';

/** The longest time between two counts, ms: people leave the 24 hours. */
const countEveryMs = 60_000;
/** A count reads every row of the table, in every process: so many times as long as it took passes before the next one. */
const pausePerCount = 100;
/** People kept in memory while the database is away. */
const mostFresh = 100_000;

interface Fresh {
  isStored: boolean;
  /** The same person under older keys of the ring. */
  former: readonly number[];
}

export class Recipients {
  /** Set when `run` is to be called. */
  readonly due = new Wakeup();
  readonly #context: Pick<WabaContext, 'db' | 'ring' | 'now' | 'settings'>;
  /** People by number, as counted last over all processes. */
  #counted: ReadonlyMap<string, number> = new Map();
  #countedAt = Number.NEGATIVE_INFINITY;
  #pauseMs = 0;
  /** People that this process has written to since, by number. */
  readonly #fresh = new Map<string, Map<number, Fresh>>();
  #freshCount = 0;

  constructor(context: Pick<WabaContext, 'db' | 'ring' | 'now' | 'settings'>) {
    this.#context = context;
  }

  /** A message went out from the number to the phone `to`, or may have. */
  add(phoneNumberId: string, to: string): void {
    const who = [this.#context.ring, phoneNumberId, 'whatsapp', to] as const;
    const person = personOf(clientHash(...who));
    const people = this.#fresh.get(phoneNumberId) ?? new Map<number, Fresh>();
    if (people.has(person) || this.#freshCount >= mostFresh) return;
    const former = formerClientHashes(...who).map(personOf);
    for (const each of former) if (people.delete(each)) this.#freshCount -= 1;
    people.set(person, { isStored: false, former });
    this.#freshCount += 1;
    this.#fresh.set(phoneNumberId, people);
    this.due.set();
  }

  /** As counted last, at most a minute ago: what this process has sent since then is not in it. */
  counted(phoneNumberId: string): number {
    return this.#counted.get(phoneNumberId) ?? 0;
  }

  /** The last count of every number that has written to people. */
  all(): ReadonlyMap<string, number> {
    return this.#counted;
  }

  /** Whether the number has written to as many people as the platform allows its business. A person written to since the count may count twice. */
  isFull({ phoneNumberId, health }: Pick<OwnNumber, 'phoneNumberId' | 'health'>): boolean {
    const most = health && peopleOf(health.messagingLimit);
    if (most === null) return false;
    return this.counted(phoneNumberId) + (this.#fresh.get(phoneNumberId)?.size ?? 0) >= most;
  }

  /** Stores what is new, and counts again where it is time to. Resolves with when it is to run again, ms. @throws when the database is away */
  async run(): Promise<number> {
    const { db, now, settings } = this.#context;
    if (!settings.platform) return countEveryMs;
    const unstored = [...this.#fresh].flatMap(([phoneNumberId, people]) =>
      [...people].flatMap(([person, fresh]) => (fresh.isStored ? [] : [{ phoneNumberId, person, fresh }])),
    );
    if (unstored.length > 0) await saveRecipients(db, unstored, new Date(now()));
    const former = unstored.flatMap(({ phoneNumberId, fresh }) =>
      fresh.former.map((person) => ({ phoneNumberId, person })),
    );
    if (former.length > 0) await deleteRecipients(db, former);
    for (const { fresh } of unstored) fresh.isStored = true;
    const at = now();
    const leftMs = this.#pauseMs - elapsedMs(this.#countedAt, at);
    if (leftMs > 0 && this.#freshCount < mostFresh / 2) return leftMs;
    this.#counted = await countRecipients(db, new Date(at - dayMs));
    this.#countedAt = now();
    this.#pauseMs = Math.min(countEveryMs, (this.#countedAt - at) * pausePerCount);
    this.#forgetStored();
    return countEveryMs;
  }

  /** Forgets the people that are stored: they are in the count. */
  #forgetStored(): void {
    for (const [phoneNumberId, people] of this.#fresh) {
      for (const [person, { isStored }] of people) if (isStored) people.delete(person);
      if (people.size === 0) this.#fresh.delete(phoneNumberId);
    }
    this.#freshCount = [...this.#fresh.values()].reduce((sum, { size }) => sum + size, 0);
  }
}

const personOf = (hash: string): number => Buffer.from(hash, 'base64url').readUIntBE(0, 3);
