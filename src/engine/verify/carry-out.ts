// The interpreter of effects: what core decides is carried out here, once it is on record. It listens to `committed`, so that the
// room of sessions, which every change goes through, knows no room above it.

import type { Effect } from '../../core/verify/event.ts';
import { isTerminal, type Session } from '../../core/verify/session.ts';
import type { Committed, EngineContext } from '../context.ts';
import type { RouteLoads } from '../delivery/backlog.ts';
import type { Dispatcher } from '../delivery/dispatcher.ts';
import type { Deadlines } from './deadlines.ts';
import type { OwnCalls } from './own-calls.ts';

/** The rooms that effects are carried out by. */
interface Carrying {
  deadlines: Deadlines;
  dispatcher: Dispatcher;
  routeLoads: RouteLoads;
  calls: OwnCalls;
}

export class CarryOut {
  readonly #context: EngineContext;
  readonly #deadlines: Deadlines;
  readonly #dispatcher: Dispatcher;
  readonly #routeLoads: RouteLoads;
  readonly #calls: OwnCalls;

  constructor(context: EngineContext, { deadlines, dispatcher, routeLoads, calls }: Carrying) {
    this.#context = context;
    this.#deadlines = deadlines;
    this.#dispatcher = dispatcher;
    this.#routeLoads = routeLoads;
    this.#calls = calls;
  }

  /** From now on every committed change is carried out. What another process has ended is not tried once more here, either. */
  listen(): void {
    this.#context.events.on('committed', (committed) => this.#carryOut(committed));
    this.#context.peers.events.on('stop', ({ messageId }) => this.#dispatcher.withdraw(messageId));
  }

  #carryOut(committed: Committed): void {
    const { before, session, effects, webhooks } = committed;
    this.#deadlines.follow(session);
    this.#calls.follow(session);
    this.#context.reports?.committed(committed);
    this.#context.pumping?.committed(committed);
    if (isTerminal(session) && !(before && isTerminal(before))) this.#context.observe.sessionOver?.(session);
    this.#observeMessages(committed);
    for (const effect of effects) this.#effect(effect, committed);
    if (webhooks) this.#context.webhooks.post(webhooks, session);
  }

  #observeMessages({ before, session }: Committed): void {
    const { observe } = this.#context;
    if (!observe.messageMoved) return;
    for (const message of session.messages) {
      const was = before?.messages.find(({ id }) => id === message.id);
      if (was?.status !== message.status) observe.messageMoved(session, message);
    }
  }

  #effect(effect: Effect, { session, held }: Committed): void {
    switch (effect.kind) {
      case 'send':
        // A message that had its place before it was stored has left by its departure (send.ts), and is passed over here.
        if (held) this.#dispatcher.dispatch(session, effect.messageId);
        else this.#leave(effect.route);
        return;
      case 'withdraw':
        this.#dispatcher.withdraw(effect.messageId);
        this.#stop(effect, session);
        return;
      // Rows of the very statement that stored the change (sessions/change.ts): nothing is left to do but to post the events.
      case 'receipt':
      case 'emit':
        return;
    }
  }

  /** The message waits in the database for a process that has its route. */
  #leave(route: string): void {
    const queue = this.#context.channels.queueOf(route);
    this.#routeLoads.leftToOthers(queue);
    this.#context.peers.announce(queue);
  }

  /** A call is stopped where it was made. */
  #stop({ messageId, channel, why, holder }: Extract<Effect, { kind: 'withdraw' }>, { id, mode }: Session): void {
    const { fleet, peers } = this.#context;
    if (holder === null || holder === fleet.processId) this.#calls.stop(mode, channel, messageId, why);
    else peers.tell(holder, { kind: 'stop', mode, channel, sessionId: id, messageId, why });
  }
}
