// Payments for messages before they are stored: what a change is about to send is taken from the budgets of its account and key. Where they can't
// pay for a leg, the change is made again without it, and core decides what follows, as with any leg that can't be used.

import { type KeyBudget, payerOf } from '../../core/limits/budget.ts';
import { type Finding, modesOf } from '../../core/limits/verdict.ts';
import type { World } from '../../core/verify/event.ts';
import type { Channel, Message, Session, TimelineEntry } from '../../core/verify/session.ts';
import type { AccountView } from '../accounts/views.ts';
import type { EngineContext } from '../context.ts';
import type { Budgets, Held } from './budgets.ts';

/** What a change buys, and from whose budgets: the messages that it adds to `before`. */
export interface Purchase {
  /** null where the session is opened. */
  before: Session | null;
  account: AccountView;
  /** Budgets of the key of the call that sends; empty where no call does, as with the next leg of a cascade. */
  keys: readonly KeyBudget[];
}

/** A change whose messages are paid for. */
export interface PaidFor<Made> {
  /** The change; the session in it, where there is one, names the reserve of each new message. */
  made: Made;
  /** To be given back where the change is not stored. */
  held: readonly Held[];
  /** About the budget of the refused leg that can be paid for first; null where every leg was paid for. */
  finding: Finding | null;
}

/** `<run> <channel>`: the legs of a run that can't be paid for; `all` where no send is left. Another run may be paid for by another key. */
type Unpaid = `${number} ${Channel | 'all'}`;

type Payment =
  /** `next` has the reserves of its messages. */
  | { kind: 'paid'; next: Session; held: readonly Held[] }
  /** Nothing was taken from any budget. */
  | { kind: 'refused'; unpaid: Unpaid; finding: Finding };

export class Payments {
  readonly #context: Pick<EngineContext, 'channels' | 'settings' | 'now'>;
  readonly #budgets: Budgets;

  constructor(context: Pick<EngineContext, 'channels' | 'settings' | 'now'>, budgets: Budgets) {
    this.#context = context;
    this.#budgets = budgets;
  }

  /**
   * The change that `make` makes, without the legs that can't be paid for. `make` wraps the world that it plans legs in by `within`, and is called
   * once more after each leg that was refused. A change without a session is free. @throws when the database fails.
   */
  async paidFor<Made extends object>(
    purchase: Purchase,
    make: (within: (world: World) => World) => Made,
  ): Promise<PaidFor<Made>> {
    const unpaid = new Set<Unpaid>();
    for (let finding: Finding | null = null; ; ) {
      const made = make((world) => withoutUnpaid(world, unpaid));
      if (!hasSession(made)) return { made, held: [], finding };
      const payment = await this.#pay(purchase, made.next);
      if (payment.kind === 'paid') return { made: { ...made, next: payment.next }, held: payment.held, finding };
      if (unpaid.has(payment.unpaid)) throw new Error(`session ${made.next.id} takes a leg that was refused`);
      unpaid.add(payment.unpaid);
      finding = firstOver(finding, payment.finding);
    }
  }

  async #pay({ before, account, keys }: Purchase, next: Session): Promise<Payment> {
    const { settings, channels } = this.#context;
    const mode = modesOf(settings.ruleModes, account.ruleModes).budget;
    const from = before?.messages.length ?? 0;
    if (next.messages.length === from || next.mode === 'test' || mode === 'off')
      return { kind: 'paid', next, held: [] };
    const messages = [...next.messages];
    const held: Held[] = [];
    const monitored: Finding[] = [];
    for (let index = from; index < messages.length; index += 1) {
      const message = messages[index] as Message;
      const isAsked = message.run > (before?.run ?? 0) && messages[index - 1]?.run !== message.run;
      const reserved = await this.#budgets.reserve({
        payer: payerOf(account, settings.budget, isAsked ? keys : keysOf(messages, message)),
        enforced: mode === 'enforce',
        sends: isAsked ? 1 : 0,
        price: channels.expectedCost(next, message),
      });
      if (reserved.kind === 'exhausted') {
        this.giveBack(held);
        const { finding } = reserved;
        const what = finding.reason.startsWith('sends') ? 'all' : message.channel;
        return { kind: 'refused', finding, unpaid: `${message.run} ${what}` };
      }
      held.push(reserved.held);
      if (reserved.monitored) monitored.push(reserved.monitored);
      if (reserved.held.reserve) messages[index] = { ...message, reserve: reserved.held.reserve };
    }
    return { kind: 'paid', next: { ...next, messages, timeline: noted(next, monitored, this.#context.now()) }, held };
  }

  /** The change was not stored. */
  giveBack(held: readonly Held[]): void {
    for (const each of held) this.#budgets.giveBack(each);
  }
}

/** The finding that is over first: from then on its leg can be paid for. */
const firstOver = (known: Finding | null, next: Finding): Finding =>
  known && (known.retryAfterMs ?? 0) <= (next.retryAfterMs ?? 0) ? known : next;

const hasSession = <Made extends object>(made: Made): made is Made & { next: Session } => 'next' in made;

const noted = ({ timeline, run }: Session, findings: readonly Finding[], at: number): TimelineEntry[] => [
  ...timeline,
  ...findings.map(({ rule, reason }): TimelineEntry => ({ at, run, kind: 'fraud_guard', rule, reason })),
];

/** Budgets that pay for a further leg of a cascade: those of the key that paid for the run's last message. */
const keysOf = (messages: readonly Message[], { run }: Message): readonly KeyBudget[] =>
  messages.findLast((each) => each.run === run && each.reserve)?.reserve?.keys ?? [];

/** The world, but that legs which can't be paid for can't be used in it. */
const withoutUnpaid = (world: World, unpaid: ReadonlySet<Unpaid>): World =>
  unpaid.size === 0
    ? world
    : {
        ...world,
        plan: (session, leg) => {
          const plan = world.plan(session, leg);
          const { run } = session;
          // A leg that was taken and is not paid for is not taken again, even by a message that does not ask for its plan (`sendElsewhere`).
          const isUnpaid = unpaid.has(`${run} ${leg.channel}`) || (plan.kind === 'usable' && unpaid.has(`${run} all`));
          return isUnpaid ? { kind: 'skip', reason: 'budget_exhausted' } : plan;
        },
      };
