// Places borrowed from processes that have a bind for a route, where this one has none: so with fewer binds than processes the owner of a
// number stores its message as `submitting` all the same, and hands it over. A hand-over that is not known to have failed may have been
// written, and is never made again.

import type { Place, SendOutcome } from '../../channels/channel.ts';
import { isAhead } from '../../time/wall-clock.ts';
import type { EngineContext } from '../context.ts';
import { type HandedOver, lentPlaces, sendOutcome } from './hand-over.ts';

/** How long a place is used, ms, from before it was asked for: for less than it is lent (lent-places.ts). */
const usedMs = 500;
/** How long a process is not asked again, ms: one that has no place at the moment, and one that has no bind. */
const restMs = { full: 100, unbound: 1_000 };
/** Places that are kept in stock: one more after each send that found none, one less where some were not used in time. */
const leastKept = 2;
const mostKept = 32;

type Context = Pick<EngineContext, 'conversation' | 'channels' | 'now'>;
type Said = Awaited<ReturnType<Context['conversation']['ask']>>;

interface Borrowed {
  lender: string;
  place: number;
  until: number;
}

/** What answers leave no doubt that the message was not written. */
const unwritten: readonly string[] = ['no_peer', 'silent', 'late', 'too_large', 'full'];
const notNow: SendOutcome = { kind: 'not_sent', reason: 'not_now' };

export class BorrowedPlaces {
  readonly #context: Context;
  readonly #stocks = new Map<string, Stock>();

  constructor(context: Context) {
    this.#context = context;
  }

  /**
   * A place on a route of other processes alone, which one of them keeps for this one; null where none has any at this moment.
   * @param carrier the name space of the message's references.
   */
  async take(route: string, carrier: string): Promise<Place | null> {
    const { conversation, channels } = this.#context;
    if (conversation.reachable.length === 0 || channels.canSend(route)) return null;
    const stock = this.#stocks.get(route) ?? new Stock(route, this.#context);
    this.#stocks.set(route, stock);
    const borrowed = await stock.take();
    return borrowed && this.#placeOf(borrowed, carrier, stock);
  }

  #placeOf({ lender, place, until }: Borrowed, carrier: string, stock: Stock): Place {
    return {
      release: () => stock.put({ lender, place, until }),
      send: async (message) => {
        const asked: HandedOver = { place, carrier, message };
        return outcomeOf(await this.#context.conversation.ask(lender, 'submit', asked, { isPatient: true }));
      },
    };
  }
}

function outcomeOf(said: Said): SendOutcome {
  if (said.kind === 'direct' && unwritten.includes(said.why)) return notNow;
  const outcome = said.kind === 'answered' ? sendOutcome.safeParse(said.value) : null;
  return outcome?.data ?? { kind: 'unknown', reason: 'process_lost' };
}

/** The places on one route. */
class Stock {
  readonly #route: string;
  readonly #context: Context;
  #places: Borrowed[] = [];
  /** Messages that wait for the answer of those who were asked. */
  #waiting = 0;
  /** Places to have in stock. */
  #kept = leastKept;
  #asking: Promise<void> | null = null;
  /** Processes that had none to lend, until when they are not asked. */
  readonly #resting = new Map<string, number>();

  constructor(route: string, context: Context) {
    this.#route = route;
    this.#context = context;
  }

  async take(): Promise<Borrowed | null> {
    this.#drop();
    if (this.#places.length === 0) await this.#wait();
    const borrowed = this.#places.shift() ?? null;
    if (this.#places.length <= this.#kept / 2) void this.#ask();
    return borrowed;
  }

  put(borrowed: Borrowed): void {
    this.#places.unshift(borrowed);
  }

  /** Waits until there is a place, or until the processes that were asked had none left. */
  async #wait(): Promise<void> {
    this.#kept = Math.min(mostKept, this.#kept + 1);
    this.#waiting += 1;
    // The first asked for those who waited then.
    for (let turns = 0; turns < 2 && this.#places.length === 0; turns += 1) await this.#ask();
    this.#waiting -= 1;
  }

  /** Forgets places that nobody has used in time, and those of processes that are out of reach. */
  #drop(): void {
    const { conversation, now } = this.#context;
    const at = now();
    const { reachable } = conversation;
    const good = this.#places.filter(({ lender, until }) => isAhead(until, at, usedMs) && reachable.includes(lender));
    if (good.length < this.#places.length) this.#kept = Math.max(leastKept, this.#kept - 1);
    this.#places = good;
  }

  /** Asks the processes that may lend, for equal parts. */
  #ask(): Promise<void> {
    this.#asking ??= this.#askAll().finally(() => {
      this.#asking = null;
    });
    return this.#asking;
  }

  async #askAll(): Promise<void> {
    const { conversation, now } = this.#context;
    const at = now();
    const isResting = (peer: string) => isAhead(this.#resting.get(peer) ?? 0, at, restMs.unbound);
    const lenders = conversation.reachable.filter((peer) => !isResting(peer));
    const count = Math.ceil((this.#kept + this.#waiting - this.#places.length) / lenders.length);
    if (lenders.length > 0 && count > 0) await Promise.all(lenders.map((lender) => this.#askOne(lender, count)));
  }

  async #askOne(lender: string, count: number): Promise<void> {
    const at = this.#context.now();
    const said = await this.#context.conversation.ask(lender, 'places', { route: this.#route, count });
    const lent = said.kind === 'answered' ? lentPlaces.safeParse(said.value).data : null;
    if (!lent?.length) this.#resting.set(lender, at + (lent ? restMs.full : restMs.unbound));
    for (const place of lent ?? []) this.#places.push({ lender, place, until: at + usedMs });
  }
}
