// The engine's context: what each of its rooms may use. One object holds it, so that a room is wired by the context and by the
// rooms below it, and never by functions that only forward.

import type { EventEmitter } from 'node:events';
import type { CarrierReceipt } from '../channels/channel.ts';
import type { CellMap } from '../core/fleet/cells.ts';
import { type IdSource, shardOf } from '../core/ids.ts';
import type { BudgetLimits, BudgetName } from '../core/limits/budget.ts';
import type { ClientLimits } from '../core/limits/client-limits.ts';
import type { RuleModes } from '../core/limits/verdict.ts';
import type { KeyRing } from '../core/secrets/key-ring.ts';
import type { Checked, Effect } from '../core/verify/event.ts';
import type { SendSettings } from '../core/verify/request.ts';
import type { Rules } from '../core/verify/rules.ts';
import type { Message, Session } from '../core/verify/session.ts';
import type { EventBody } from '../core/webhooks/event-body.ts';
import type { LaneOptions } from '../db/batch.ts';
import type { FailureLimit, QueuedDelivery } from '../db/verify/save.ts';
import type { AccountViews } from './accounts/views.ts';
import type { Channels } from './delivery/channels.ts';
import type { Conversation } from './fleet/conversation.ts';
import type { Fleet } from './fleet/members.ts';
import type { Peers } from './fleet/peers.ts';
import type { SendLimits } from './limits/number-limits.ts';
import type { Store } from './sessions/store.ts';

export interface EngineContext {
  /** Unix ms. */
  now(): number;
  ids: IdSource;
  /** Cryptographically random bytes. */
  randomBytes(size: number): Uint8Array;
  /** The keys that codes are derived with. */
  ring: KeyRing;
  settings: EngineSettings;
  /** The id of this process, how many live, whether it may take over now what dead ones held, and who comes and goes. */
  fleet: Pick<Fleet, 'processId' | 'keptSince' | 'mayTakeOver' | 'alive' | 'events'>;
  /** This process's leases, by cell. */
  leases: ReadonlyMap<string, Pick<Fleet, 'keptSince'>>;
  /** The other processes that share the database. */
  peers: Pick<Peers, 'tell' | 'announce' | 'events' | 'ignored'>;
  /** A way to ask some of them directly. */
  conversation: Pick<Conversation, 'ask' | 'serve' | 'reachable'>;
  /** Which database a session is in. */
  cells: CellMap;
  store: Store;
  accounts: AccountViews;
  channels: Channels;
  webhooks: WebhookOutbox;
  /** Projects measures from what is committed. Absent where nothing is projected. */
  reports?: Reports;
  /** Looks for pumping in what is sent. Absent where nobody looks. */
  pumping?: Pumping;
  answers: Answers;
  log: EngineLog;
  observe: EngineObserver;
  events: EventEmitter<EngineEvents>;
}

/** Settings that a reload may change: each is read where it is used, and never copied. */
export interface EngineSettings {
  readonly rules: Rules;
  /** How many wrong codes lock a number. */
  readonly failureLimit: FailureLimit;
  readonly sendLimits: SendLimits;
  /** What becomes of a send that a rule against abuse objects to. */
  readonly ruleModes: RuleModes;
  /** Sends for one end user. */
  readonly clientLimits: ClientLimits;
  /** Budgets of accounts that have none of their own. */
  readonly budget: BudgetLimits;
  /** The part of the configuration that a send is checked against. */
  readonly config: SendSettings;
}

/** Renders the answer that is stored with an Idempotency-Key, as JSON. Given once, so that a request is plain values. */
export interface Answers {
  sent(session: Session): unknown;
  checked(checked: Checked, session: Session): unknown;
}

/** A change that is on record: the listener of `committed` carries out its effects. */
export interface Committed {
  /** The state before the change; null where the session was opened. */
  before: Session | null;
  session: Session;
  /** The database's id of the transaction that saved it (`pg_current_xact_id()`); absent where the store has none. */
  transaction?: string | undefined;
  effects: Effect[];
  /** True where this process is to send what is in `effects`. */
  held: boolean;
  /** Null where the change stored no webhook. */
  webhooks: StoredWebhooks | null;
}

/** Webhooks that a change has stored: a row for each endpoint, and the bodies of their events. */
export interface StoredWebhooks {
  deliveries: readonly QueuedDelivery[];
  bodies: readonly EventBody[];
  /** Before the statement that stored them was sent, Unix ms. They are this process's since then, while it lives. */
  storedAt: number;
}

/** The one edge that leads back up: a lower room emits what is committed, and does not know its listeners. */
export interface EngineEvents {
  committed: [Committed];
}

/** The poster of events that a change has stored for the endpoints of its account. */
export interface WebhookOutbox {
  /** `about`: the session of the events, or only the account where they are about none. */
  post(stored: StoredWebhooks, about: { accountId: string; id?: string }): void;
  /** A statement that may have stored events broke off, and its outcome is not known. */
  commitUnknown(): void;
  /** The number of these sessions was erased, also in events that are stored and still wait. */
  erased(sessionIds: readonly string[]): void;
}

/** The projection of measures. */
export interface Reports {
  committed(change: Pick<Committed, 'before' | 'session' | 'transaction'>): void;
  /** A statement that may have committed broke off, and its outcome is not known. */
  commitUnknown(): void;
}

/** The watch on pumping. */
export interface Pumping {
  committed(change: Pick<Committed, 'before' | 'session'>): void;
}

export interface EngineLog {
  error(fields: object, message: string): void;
}

export interface BudgetObserver {
  /** A budget had too little left for a message. */
  exhausted?(budget: BudgetName, mode: 'enforce' | 'monitor'): void;
  warned?(budget: BudgetName, percent: number): void;
}

export interface EngineObserver {
  lane?: LaneOptions['observe'];
  budget?: BudgetObserver;
  /** Called where this process has committed the end of a session. */
  sessionOver?(session: Session): void;
  /** Called where this process has committed another status of a message, its first one among them. */
  messageMoved?(session: Session, message: Message): void;
  /** Called where a message is read again before it is written, because this process stood still while it was stored. */
  reread?(): void;
  /** Called where this process has stopped a prefix of an account; `mode`: of the rule. */
  stopped?(rule: string, mode: string): void;
  /** Called for every receipt. */
  receipt?(receipt: CarrierReceipt, result: 'applied' | 'repeated' | 'parked'): void;
  /** Called for every report that can't be read. `operator`: as in `CarrierReceipt`. */
  unreadable?(operator: string): void;
}

/** A new id in the shard of its session, and so of the session's number. `at`: its time; default now. */
export const newId = ({ ids }: Pick<EngineContext, 'ids'>, prefix: string, sessionId: string, at?: number): string =>
  ids(prefix, shardOf(sessionId), at);
