// The engine put together: what a committed change sets off, and the loops that look after what nobody else does.

import { type IdSource, shardForAccount } from '../core/ids.ts';
import type { HmacKey } from '../core/verify/code.ts';
import type { Event, World } from '../core/verify/event.ts';
import type { Rules } from '../core/verify/rules.ts';
import { isOutgoing, type Message, type Mode, type Session } from '../core/verify/session.ts';
import type { EventBody } from '../core/webhooks/event-body.ts';
import { Lane, type LaneOptions } from '../db/batch.ts';
import type { RouteLoad } from '../db/delivery/route-loads.ts';
import { claimOrphans, claimRoutes, heldBy, overdue } from '../db/fleet/claims.ts';
import type { Queryable, Reads } from '../db/queryable.ts';
import { loadSessions, type SessionKey } from '../db/verify/load.ts';
import type { FailureLimit } from '../db/verify/save.ts';
import { isDoneWithin } from '../time/within.ts';
import type { Accounts, AccountView } from './accounts/views.ts';
import type { Channels } from './delivery/channels.ts';
import { Dispatcher, nameless } from './delivery/dispatcher.ts';
import { RouteLoads } from './delivery/route-loads.ts';
import { LostTrack, orLost } from './fleet/unknown-commits.ts';
import { Limits } from './limits/limits.ts';
import { numberLimitsOf } from './limits/number-limits.ts';
import { Receipts, type ReceiptsOptions } from './receipts/receipts.ts';
import { References } from './receipts/references.ts';
import { Parking } from './receipts/unmatched.ts';
import { type Committed, Sessions } from './sessions/sessions.ts';
import { createStore } from './sessions/store.ts';
import { Checker, codeOf } from './verify/check.ts';
import { Deadlines } from './verify/deadlines.ts';
import { Sender, type SenderOptions } from './verify/send.ts';
import { Watches } from './verify/watches.ts';

export interface EngineOptions {
  /** The lanes' pool. */
  db: Queryable;
  /** What watched sessions are read by. */
  reads: Reads;
  processId: string;
  now(): number;
  ids: IdSource;
  /** Cryptographically random bytes. */
  randomBytes(size: number): Uint8Array;
  rules: Rules;
  failureLimit: FailureLimit;
  sendLimits: SenderOptions['sendLimits'];
  accounts: Accounts;
  channels: Channels;
  /** Secret a session's code is derived with. */
  codeKey(keyId: string): HmacKey;
  currentKeyId(): string;
  /** Posts what this process has just committed. */
  postWebhooks(deliveries: Committed['deliveries'], bodies: EventBody[], session: Session): void;
  deliveryLeaseMs: number;
  /** A statement that may have stored events for `postWebhooks` broke off. */
  onLost?(): void;
  /** Whether what dead processes held may be taken over now: see fleet/members.ts. */
  mayTakeOver(): boolean;
  onError(error: unknown, about: object): void;
  observe: { lane?: LaneOptions['observe']; receipt?: ReceiptsOptions['observe'] };
}

/** Whose sessions are taken up: a dead process's, those that wait for a route, or our own that we lost sight of. */
type Whose = 'dead' | 'route' | 'own';

export type Engine = ReturnType<typeof createEngine>;

/** Keeps no process alive: one that ends while the database is away can store nothing any more. */
const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms).unref());

/** How late a deadline may be before another process does it, and how much a sweep takes at once. */
const graceMs = 300;
const sweepLimit = 500;
/** Of a route with a longer queue here nothing more is claimed: it may wait in the database, where others may find it. */
const claimAheadMs = 1_000;

export function createEngine(options: EngineOptions) {
  const { db, processId, now, ids, channels, accounts, onError } = options;
  const lanes = options.observe.lane ? { observe: options.observe.lane } : {};
  const newId = (prefix: string) => (accountId: string) => ids(prefix, shardForAccount(accountId));
  const lostTrack = new LostTrack({ now });
  const onLost = () => {
    lostTrack.lost();
    options.onLost?.();
  };
  const store = createStore(db, options.failureLimit, { ...lanes, onLost });
  const references = new References(db, lanes);
  const parking = new Parking(db, () => ids('prk_'), lanes);
  const limits = new Limits(db, lanes);
  const watched = new Lane((keys: readonly SessionKey[]) => loadSessions(options.reads, keys), {
    ...lanes,
    name: 'watch',
  });
  const watches = new Watches({ load: (key) => watched.push(key) });
  const routeLoads = new RouteLoads({ db, processId });
  const canSend = (route: string) => channels.canSend(route);
  const world = (account: AccountView, session: { accountId: string }): World => ({
    now: now(),
    rules: options.rules,
    newMessageId: () => newId('msg_')(session.accountId),
    plan: (planned, leg) =>
      account.suspended ? { kind: 'skip', reason: 'account_suspended' } : channels.plan(planned, leg, account),
    suspended: account.suspended,
  });

  const numberLimits = (account: AccountView, mode: Mode) => numberLimitsOf(account, mode, options.sendLimits);
  const sessions = new Sessions({
    store,
    accounts,
    processId,
    numberLimits,
    now,
    canSend,
    world,
    onCommitted,
    deliveryLeaseMs: options.deliveryLeaseMs,
    newEventId: newId('evt_'),
  });
  const deadlines = new Deadlines({ now, due });
  const receipts = new Receipts({
    sessions,
    references,
    parking,
    newReceiptId: newId('rcp_'),
    onError,
    pause,
    ...(options.observe.receipt ? { observe: options.observe.receipt } : {}),
  });
  const dispatcher = new Dispatcher({
    channelOf,
    apply: (session, event, extra) => sessions.apply(session, event, extra),
    compose,
    onReference: (session, messageId, operator, reference) =>
      references.remember(operator, reference, {
        accountId: session.accountId,
        id: session.id,
        messageId,
        number: session.to,
      }),
    onReferenceStored,
    onError,
    pause,
    now,
  });
  const sender = new Sender({
    store,
    sessions,
    accounts,
    limits,
    processId,
    world,
    canSend,
    onCommitted,
    sendLimits: options.sendLimits,
    newSessionId: newId('vrf_'),
    currentKeyId: options.currentKeyId,
    randomBytes: options.randomBytes,
    backlogMs,
    begin: (session, message) => dispatcher.begin(session, message),
  });
  const checker = new Checker({ store, sessions, codeKey: options.codeKey });

  function onCommitted({ session, effects, held, deliveries, bodies }: Committed): void {
    deadlines.follow(session);
    for (const effect of effects) {
      if (effect.kind === 'send') {
        if (held) dispatcher.dispatch(session, effect.messageId);
        else routeLoads.left(effect.route);
      }
      if (effect.kind !== 'withdraw') continue;
      dispatcher.withdraw(effect.messageId);
      channels.of(session.mode, effect.channel)?.cancel?.(effect.messageId);
    }
    if (deliveries.length > 0) options.postWebhooks(deliveries, bodies, session);
  }

  /** A failure is left to the sweep: the row still says what is due. */
  function due(key: SessionKey): void {
    sessions.apply(key, { kind: 'deadline' }).catch((error) => onError(error, { sessionId: key.id }));
  }

  function channelOf(session: Session, message: Message) {
    const channel = channels.of(session.mode, message.channel);
    if (!channel) throw new Error(`channel ${message.channel} was removed while ${message.id} was queued`);
    return channel;
  }

  function compose(session: Session, message: Message) {
    const { accountId, mode, to, language, autofill, expiresAt } = session;
    return {
      id: message.id,
      sessionId: session.id,
      accountId,
      mode,
      channel: message.channel,
      route: message.route,
      to,
      senderId: message.senderId,
      language,
      autofill,
      expiresAt,
      code: codeOf(session, options.codeKey),
    };
  }

  function onReferenceStored(session: Session, messageId: string, operator: string, reference: string): void {
    const found = { accountId: session.accountId, id: session.id, messageId };
    receipts.expect(operator, reference, found).catch((error) => onError(error, found));
  }

  function backlogMs(route: string, more = 0): number | null {
    const rate = channels.ofRoute(route)?.ratePerSecond(route) ?? null;
    if (rate !== null) return ((dispatcher.backlog(route) + more) / rate) * 1000;
    return canSend(route) ? null : routeLoads.backlogMs(route, more);
  }

  /** What waits here for the routes this process has. */
  function ownLoads(): Record<string, RouteLoad> {
    const loads = channels.routes().flatMap((route): [string, RouteLoad][] => {
      const perSecond = channels.ofRoute(route)?.ratePerSecond(route) ?? null;
      return perSecond === null ? [] : [[route, { waiting: dispatcher.backlog(route), perSecond }]];
    });
    return Object.fromEntries(loads);
  }

  /** Sends what is queued in a session this process has just taken over. */
  async function takeOver(key: SessionKey, whose: Whose): Promise<void> {
    sessions.forget(key.id);
    const session = await sessions.peek(key);
    for (const message of session?.messages.filter(isOutgoing) ?? []) {
      if (!session || (whose === 'own' && dispatcher.has(key.id))) return; // On its way from here, perhaps since a moment ago.
      if (message.status === 'queued' && canSend(message.route)) dispatcher.dispatch(session, message.id);
      else if (message.status === 'queued' || dispatcher.takeUnwritten(message.id)) {
        await sessions.apply(key, { kind: 'not_sent', messageId: message.id }, { onlyIfHeld: true });
      }
      // Its process died between `submitting` and the answer: the bytes may have left, so it is never sent again.
      else if (whose !== 'route') {
        const event: Event = { kind: 'unknown', messageId: message.id, reason: 'process_lost' };
        await sessions.apply(key, event, nameless(session, message));
      }
    }
  }

  const claimed = (keys: Promise<SessionKey[]>) => orLost(keys, () => lostTrack.lost());

  /** Takes up what is this process's own and not under way here. */
  async function findOwn(): Promise<void> {
    for (let after = ''; ; ) {
      const keys = await heldBy(db, processId, after, sweepLimit);
      const idle = keys.filter(({ id }) => !dispatcher.has(id));
      await takeOverAll(idle, 'own');
      if (keys.length < sweepLimit) return;
      after = keys.at(-1)?.id ?? after;
    }
  }

  /** They are ours by now: what can't be taken up, because lanes are full, say, is looked for again. */
  const takeOverAll = (keys: SessionKey[], whose: Whose) =>
    Promise.all(
      keys.map((key) =>
        takeOver(key, whose).catch((error) => {
          lostTrack.lost();
          onError(error, { sessionId: key.id });
        }),
      ),
    );

  return {
    sessions,
    sender,
    checker,
    receipts,
    watches,
    dispatcher,
    deadlines,
    parking,
    store,
    /** Deadlines nobody did in time, and what dead processes left behind. Every 300 ms. */
    async sweep(): Promise<void> {
      for (const key of await overdue(db, graceMs, sweepLimit)) due(key);
      if (options.mayTakeOver()) await takeOverAll(await claimed(claimOrphans(db, processId, sweepLimit)), 'dead');
      await lostTrack.lookAgain(findOwn);
    },
    /** Messages that wait for a route this process has. Every 50 ms. */
    async claim(): Promise<void> {
      const routes = channels.routes().filter((route) => (backlogMs(route) ?? 0) < claimAheadMs);
      if (routes.length > 0) await takeOverAll(await claimed(claimRoutes(db, processId, routes, sweepLimit)), 'route');
    },
    /** Tells the other processes what waits for this one's routes, and learns what waits for theirs. Every second. */
    exchangeLoads: () => routeLoads.exchange(ownLoads()),
    /** Finishes what is on the wire and leaves the rest to others. Resolves at the latest after `graceMs`. */
    async drain(graceMs: number): Promise<void> {
      deadlines.stop();
      dispatcher.stop();
      await isDoneWithin(dispatcher.idle(), graceMs);
    },
  };
}
