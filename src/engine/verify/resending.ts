// The resend of a pending session for a second send to its number and purpose, and the answer to a call that another process has done.

import { keyBudgets } from '../../core/limits/key-restrictions.ts';
import { advance } from '../../core/verify/advance.ts';
import { codeOf, isCodeOf } from '../../core/verify/code.ts';
import { by } from '../../core/verify/draft.ts';
import type { Event, Outcome } from '../../core/verify/event.ts';
import type { Session } from '../../core/verify/session.ts';
import { beforeStoring } from '../../db/outage.ts';
import { isRepeatedOperation } from '../../db/verify/open.ts';
import type { EngineContext } from '../context.ts';
import { worldOf } from '../sessions/world.ts';
import {
  type CountedSend,
  ifSpent,
  numberLimited,
  type OpeningRooms,
  type Outcomes,
  type Room,
  tooLate,
} from './opening.ts';

/** The pending session can't go on: a new one takes its place, for which it is canceled once nothing else can refuse that one. */
export interface Replaced {
  kind: 'replaced';
  /** What the new session has of the old one, because the send does not name it: as a resend would leave it. */
  carried: Partial<Pick<CountedSend, 'code' | 'codeLength' | 'metadata'>>;
  cancel(): Promise<Room>;
}

/** This very call was done before, by another process as a rule, and counted. */
export interface Done {
  kind: 'done';
  session: Session;
}

export class Resending {
  readonly #context: EngineContext;
  readonly #rooms: Pick<OpeningRooms, 'sessions' | 'backlog'>;

  constructor(context: EngineContext, rooms: Pick<OpeningRooms, 'sessions' | 'backlog'>) {
    this.#context = context;
    this.#rooms = rooms;
  }

  /** The session that another process has opened, or gone on with, for this very call; null where there is none. */
  async done({ accountId, operation }: Pick<CountedSend, 'accountId' | 'operation'>): Promise<Done | null> {
    if (operation === undefined) return null;
    const { store } = this.#context;
    const opened = (await store.load({ accountId, id: operation }))?.session;
    if (opened) return { kind: 'done', session: opened };
    const id = await store.resentIn(operation);
    const session = id === null ? null : (await store.load({ accountId, id }))?.session;
    return session ? { kind: 'done', session } : null;
  }

  /** Null = no session is pending any more: open a new one. */
  async resend(request: CountedSend, taken: string | null): Promise<Outcomes | Done | Replaced | null> {
    const { accountId, mode, to, purpose, channel, asked, code, kept, limits, operation, findings, blocked } = request;
    const id = taken ?? (await beforeStoring(this.#context.store.pending({ accountId, mode, number: to, purpose })));
    if (!id) return null;
    const event = (session: Session): Event => {
      // A code that was made here is not compared: the answer would be that of a guess that costs no try.
      const isSame = session.sealedCode !== null && code !== null && isCodeOf(session, code, this.#context.ring);
      const otherCode = code !== null && !isSame;
      return { kind: 'resend', channel, asked, otherCode, findings, ...by(operation) };
    };
    const late = await beforeStoring(this.#tooLate(request, id, event));
    if (late) return late;
    const options = { keys: keyBudgets(request), ...(kept && { idempotency: kept }), ...(blocked && { blocked }) };
    const applied = await this.#rooms.sessions.apply({ accountId, id }, event, options).catch((error: unknown) => {
      if (isRepeatedOperation(error)) return null;
      throw error;
    });
    if (!applied) return beforeStoring(this.done(request));
    if (applied.kind === 'number_spent') return numberLimited(this.#context, applied.by, limits);
    if (applied.kind === 'blocked')
      return (await this.#spent(request)) ?? { kind: 'guarded', finding: applied.finding };
    if (applied.kind !== 'applied') return null;
    const { outcome, session, finding } = applied;
    if (outcome.kind === 'no_route' && finding) return { kind: 'guarded', finding };
    return this.#resultOf(outcome, session, request);
  }

  /** Its run begins with a leg of its own, and not with the one that a new session would begin with. */
  async #tooLate({ accountId, account }: CountedSend, id: string, event: (session: Session) => Event) {
    const { sessions, backlog } = this.#rooms;
    const session = await sessions.peek({ accountId, id });
    if (!session) return null;
    const { next, effects, outcome } = advance(session, event(session), worldOf(this.#context, account, id));
    const send = effects.find((effect) => effect.kind === 'send');
    const { rules } = this.#context.settings;
    return outcome.kind === 'resent' && send ? tooLate(backlog, next, { route: send.route, rules }) : null;
  }

  #spent({ accountId, mode, to: number, limits }: CountedSend): Promise<Outcomes | null> {
    return beforeStoring(ifSpent(this.#context, { accountId, mode, number }, limits));
  }

  async #resultOf(
    outcome: Outcome,
    session: Session,
    request: CountedSend,
  ): Promise<Outcomes | Done | Replaced | null> {
    switch (outcome.kind) {
      case 'resent':
        return { kind: outcome.again ? 'done' : 'sent', session };
      case 'resend_too_soon':
        return { ...outcome, session };
      case 'too_many_sends':
      case 'resend_differs':
        return { ...outcome, session };
      case 'no_route':
        return { kind: 'no_route', reasons: [outcome.reason] };
      default: {
        if (session.status !== 'pending') return null;
        // Checked first: as a rule it is known here already that the successor would be refused.
        const spent = await this.#spent(request);
        if (spent) return spent;
        const reason = outcome.kind === 'open_new' ? outcome.reason : 'replaced';
        const cancel = async (): Promise<Room> => {
          const applied = await this.#rooms.sessions.apply(session, { kind: 'cancel', reason }, { takesToken: true });
          if (applied.kind === 'number_spent') return { kind: 'spent', by: applied.by };
          // Nothing is taken for a session that is over by now.
          return { kind: 'made', isCounted: applied.kind === 'applied' && applied.outcome.kind === 'done' };
        };
        return { kind: 'replaced', carried: reason === 'replaced' ? this.#carried(session, request) : {}, cancel };
      }
    }
  }

  /** The caller knows no other code than its own: one that was made here would be of no use to it. Read before the old session forgets it. */
  #carried(session: Session, { code, asked, metadata }: CountedSend): Replaced['carried'] {
    const { sealedCode, codeLength } = session;
    const isOwn = sealedCode !== null && code === null && (asked.codeLength ?? codeLength) === codeLength;
    return {
      ...(isOwn && { code: codeOf(session, this.#context.ring), codeLength }),
      ...(metadata === null && { metadata: session.metadata }),
    };
  }
}
