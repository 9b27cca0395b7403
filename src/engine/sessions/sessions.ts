// The one way a stored session changes: load, advance (pure), save by compare-and-set, then emit what is committed. Events of one session
// wait in line here and are saved together. Where another process has saved the session first, the change is made again from what that
// process stored.

import type { Event, World } from '../../core/verify/event.ts';
import type { Session } from '../../core/verify/session.ts';
import type { EventBody } from '../../core/webhooks/event-body.ts';
import { holderForRoute, processHolder } from '../../db/fleet/holder.ts';
import { beforeStoring, mayBeStored } from '../../db/outage.ts';
import type { QueuedDelivery } from '../../db/verify/save.ts';
import type { SessionKey } from '../../db/verify/sessions.ts';
import type { AccountView } from '../accounts/views.ts';
import { type EngineContext, newId } from '../context.ts';
import { numberLimitsOf } from '../limits/number-limits.ts';
import type { PaidFor, Payments } from '../limits/payments.ts';
import { toSaveItem } from './change.ts';
import {
  type Applied,
  type ApplyOptions,
  advanceAll,
  blockedIn,
  failedBy,
  isOlderThan,
  type Job,
  mayBeOutdated,
  patienceOf,
  refusalOf,
  refuseLimited,
  settle,
  takeJobs,
  type Work,
} from './session-line.ts';
import { worldOf } from './world.ts';

export interface SessionsOptions {
  /** Sessions kept in memory, 2.4 KB each. Default 100 000: those that 1,000 sends a second leave pending, while a code is waited for. */
  maxHeld?: number;
  /** How many of those may be over: they rarely get another event, and each makes garbage collection longer. Default 1 000. */
  maxOver?: number;
}

const usuallyHeld = 100_000;

interface Entry {
  key: SessionKey;
  session: Session | null;
  holder: string | null;
  jobs: Job[];
  running: boolean;
}

/** What jobs have made of a session, and is to be saved. */
interface Made {
  before: Session;
  account: AccountView;
  world: World;
  paid: PaidFor<Work>;
}

/** A change that waited for its budgets for longer is made again. Marks of webhooks stay a minute behind what is stored (webhooks/sweep.ts). */
const mostWaitMs = 10_000;

/** Saves in a row that found a newer state; more than this means something is wrong, not busy. */
const maxStale = 50;

export class Sessions {
  readonly #context: EngineContext;
  readonly #payments: Payments;
  readonly #options: SessionsOptions;
  /** Value of `holder` in this process's rows. */
  readonly #self: string;
  readonly #entries = new Map<string, Entry>();
  /** Ids of sessions in memory that are over, in the order they ended. */
  readonly #over = new Set<string>();

  constructor(context: EngineContext, payments: Payments, options: SessionsOptions = {}) {
    this.#context = context;
    this.#payments = payments;
    this.#options = options;
    this.#self = processHolder(context.fleet.processId);
  }

  get held(): number {
    return this.#entries.size;
  }

  /** Takes in a session this process has just opened. A sweep may have met it before the answer came that it is stored: its line goes on then. */
  adopt(session: Session, holder: string | null): void {
    const { accountId, id } = session;
    const known = this.#entries.get(id);
    // Two lines could be saved in one statement, which compares each with what is stored, and neither with the other.
    if (known?.running || known?.session) return;
    // A copy: the session as it was opened has its number, and must not stay once that is erased.
    this.#remember({ key: { accountId, id }, session, holder, jobs: [], running: false });
  }

  /** The session as last seen here; null where it is not in memory. */
  seen(id: string): Session | null {
    return this.#entries.get(id)?.session ?? null;
  }

  /** The session as last seen here, else as stored. May be older than what another process saved a moment ago. */
  async peek(key: SessionKey): Promise<Session | null> {
    const held = this.#entries.get(key.id);
    if (held?.session) return held.session.accountId === key.accountId ? held.session : null;
    return (await this.#context.store.load(key))?.session ?? null;
  }

  /** Forgets what is held, so that the next event starts from what is stored. */
  forget(id: string): void {
    const entry = this.#entries.get(id);
    if (entry) entry.session = null;
  }

  /**
   * Resolves once the event and everything that follows from it is committed. The event may be made from the session it
   * meets (a check compares with that session's code). @throws when the database fails; `mayBeStored` says whether it may be stored all the same.
   */
  apply(key: SessionKey, event: Event | ((session: Session) => Event), options: ApplyOptions = {}): Promise<Applied> {
    let entry = this.#entries.get(key.id);
    if (!entry) {
      entry = { key: { accountId: key.accountId, id: key.id }, session: null, holder: null, jobs: [], running: false };
      this.#remember(entry);
    }
    const { jobs } = entry;
    const done = new Promise<Applied>((resolve, reject) => {
      jobs.push({ event, options, resolve, reject });
    });
    if (!entry.running) void this.#run(entry);
    // What goes before it may linger in the lane.
    else if (!options.patient) this.#context.store.flush();
    return done;
  }

  #remember(entry: Entry): void {
    this.#over.delete(entry.key.id);
    this.#entries.delete(entry.key.id);
    this.#entries.set(entry.key.id, entry);
    if (this.#entries.size <= (this.#options.maxHeld ?? usuallyHeld)) return;
    for (const [id, oldest] of this.#entries) {
      if (!oldest.running) this.#entries.delete(id);
      if (this.#entries.size <= (this.#options.maxHeld ?? usuallyHeld)) return;
      if (oldest.running) return; // The oldest is busy: everything behind it is younger still.
    }
  }

  /** Called when a session is over and nothing waits for it: it may be forgotten soon. */
  #ended(id: string): void {
    this.#over.delete(id); // Again at the end.
    this.#over.add(id);
    const [oldest] = this.#over;
    if (this.#over.size <= (this.#options.maxOver ?? 1_000) || oldest === undefined) return;
    this.#over.delete(oldest);
    if (this.#entries.get(oldest)?.running === false) this.#entries.delete(oldest);
  }

  async #run(entry: Entry): Promise<void> {
    entry.running = true;
    let stale = 0;
    while (entry.jobs.length > 0) {
      const jobs = takeJobs(entry.jobs);
      try {
        const again = await this.#step(entry, jobs);
        stale = again.length > 0 ? stale + 1 : 0;
        if (stale > maxStale) throw new Error(`session ${entry.key.id} was stale ${stale} times in a row`);
        entry.jobs.unshift(...again);
      } catch (error) {
        entry.session = null;
        const failed = failedBy(error, jobs);
        for (const job of failed) job.reject(error);
        entry.jobs.unshift(...jobs.filter((job) => !failed.includes(job)));
      }
    }
    entry.running = false;
    const { session, key } = entry;
    if (this.#entries.get(key.id) !== entry) return;
    // Nothing is known of it, as where it was not found. Not before: what came meanwhile waits in this line.
    if (!session) this.#entries.delete(key.id);
    else if (session.status !== 'pending') this.#ended(session.id);
  }

  /** Does these jobs; returns those that must start again from a newer state. */
  async #step(entry: Entry, jobs: Job[]): Promise<Job[]> {
    const { accounts, now, answers } = this.#context;
    const remembered = this.#remembered(entry, jobs);
    const before = remembered ?? (await this.#load(entry));
    if (!before) {
      for (const job of jobs) job.resolve({ kind: 'not_found' });
      return [];
    }
    const account = await beforeStoring(accounts.view(before.accountId, before.mode));
    const keys = jobs.flatMap(({ options }) => options.keys ?? []);
    const world = worldOf(this.#context, account, before.id);
    const paid = await beforeStoring(
      this.#payments.paidFor({ before, account, keys }, (within) =>
        advanceAll(before, jobs, { world: within(world), held: this.#isHeld(entry), answers }),
      ),
    );
    const work = paid.made;
    if (work.next === before && work.effects.length === 0) {
      if (remembered && mayBeOutdated(work)) {
        entry.session = null;
        return jobs;
      }
      settle(work.outcomes, before, this.#isHeld(entry), paid.finding);
      return [];
    }
    const blocked = blockedIn(work);
    if (blocked || now() - world.now > mostWaitMs) {
      this.#payments.giveBack(paid.held);
      return blocked ? refuseLimited(jobs, blocked) : jobs;
    }
    return this.#save(entry, jobs, { before, account, world, paid });
  }

  /** The session in memory, where it is new enough for these jobs; null where it has to be read. */
  #remembered(entry: Entry, jobs: readonly Job[]): Session | null {
    const { session } = entry;
    // The holder in memory may be older than a claim by this process: the database is read before a job is ignored.
    const mayBeHeld = !this.#isHeld(entry) && jobs.some(({ options }) => options.onlyIfHeld);
    return session && !mayBeHeld && !isOlderThan(jobs, session, this.#context.now()) ? session : null;
  }

  async #load(entry: Entry): Promise<Session | null> {
    entry.session = null;
    const loaded = await beforeStoring(this.#context.store.load(entry.key));
    entry.session = loaded?.session ?? null;
    entry.holder = loaded?.holder ?? null;
    return entry.session;
  }

  /** Saves what the jobs have made of `before`, answers them and emits what is committed. Returns the jobs that must start again. */
  async #save(entry: Entry, jobs: Job[], { before, account, world, paid }: Made): Promise<Job[]> {
    const { store, settings, events } = this.#context;
    const { made: work, held: payment, finding } = paid;
    // The time of its timeline, also after a wait for budgets: an erasure finds webhooks and answers by it (db/erasure/session.ts).
    const at = world.now;
    const change = toSaveItem(before, work.next, work.effects, work.extras, {
      now: at,
      holderBefore: entry.holder,
      holder: this.#holderAfter(entry, work),
      newEventId: () => newId(this.#context, 'evt_', before.id, at),
      rules: world.rules,
      endpoints: account.endpoints,
      deliveryHolder: this.#self,
      numberLimits: numberLimitsOf(account, before.mode, settings.sendLimits),
    });
    const result = await store.save(change.item, { patient: patienceOf(jobs) }).catch((error: unknown) => {
      // Where it is not known whether it was saved, what it paid for counts as sent.
      if (!mayBeStored(error)) this.#payments.giveBack(payment);
      throw error;
    });
    if (result.kind !== 'saved') {
      this.#payments.giveBack(payment);
      entry.session = null;
      return result.kind === 'stale' ? jobs : refuseLimited(jobs, refusalOf(result));
    }
    entry.session = { ...work.next, version: before.version + 1 };
    entry.holder = change.item.change.holder;
    const held = this.#isHeld(entry);
    settle(work.outcomes, entry.session, held, finding);
    events.emit('committed', {
      before,
      session: entry.session,
      transaction: result.transaction,
      effects: work.effects,
      held,
      webhooks:
        result.deliveries.length > 0
          ? { deliveries: result.deliveries, bodies: completed(change.bodies, result.deliveries), storedAt: at }
          : null,
    });
    return [];
  }

  #isHeld({ holder }: Entry): boolean {
    return holder === this.#self;
  }

  /** A new send goes to this process where it has the route; else to a process that has it. A message being written is its writer's. */
  #holderAfter(entry: Entry, { effects, outcomes }: Pick<Work, 'effects' | 'outcomes'>): string | null {
    const send = effects.find((effect) => effect.kind === 'send');
    if (send) return holderForRoute(send.route, this.#self, this.#context.channels);
    const writing = outcomes.some(
      ({ job: { event }, outcome }) =>
        outcome.kind === 'done' && typeof event !== 'function' && event.kind === 'submitting',
    );
    return writing ? this.#self : entry.holder;
  }
}

/** An event that the statement completed is posted as it is stored. */
function completed(bodies: EventBody[], deliveries: readonly QueuedDelivery[]): EventBody[] {
  if (!deliveries.some(({ body }) => body !== undefined)) return bodies;
  const stored = new Map(deliveries.map(({ eventId, body }) => [eventId, body]));
  return bodies.map((body) => ({ ...body, json: stored.get(body.id) ?? body.json }));
}
