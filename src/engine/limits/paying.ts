// The payment for messages before they are stored: what a change is about to send is taken from the budgets of its account and key. A leg that
// they can't pay for is not taken: the change is made again without it, and core decides what follows, as with any leg that can't be used.

import { type KeyBudget, payerOf } from '../../core/limits/budget.ts';
import { type Finding, modesOf } from '../../core/limits/verdict.ts';
import type { World } from '../../core/verify/event.ts';
import type { Channel, Message, Session, TimelineEntry } from '../../core/verify/session.ts';
import type { AccountView } from '../accounts/views.ts';
import type { EngineContext } from '../context.ts';
import type { Budgets, Held } from './budgets.ts';

/** Whose budgets pay for the messages of a change. */
export interface Payer {
  /** null where the session is opened. */
  before: Session | null;
  account: AccountView;
  /** Of the key of the call that sends, as `Payer` in core has them; empty where no call does. */
  keys: readonly KeyBudget[];
}

/** A change whose messages are paid for. */
export interface PaidFor<Made> {
  /** As it was made; a session in it has the reserves of its messages. */
  made: Made;
  /** To be given back where the change is not stored. */
  held: readonly Held[];
  /** What the last budget said that could not pay for a leg; null where all could. */
  finding: Finding | null;
}

/** Legs of a run that can't be paid for: those of one channel, or all where no send is left. Another run may be another key's. */
type Unpaid = `${number} ${Channel | 'all'}`;

type Payment =
  /** `next` has the reserves of its messages. */
  | { kind: 'paid'; next: Session; held: readonly Held[] }
  /** Nothing was taken. */
  | { kind: 'refused'; unpaid: Unpaid; finding: Finding };

export class Paying {
  readonly #context: Pick<EngineContext, 'channels' | 'settings' | 'now'>;
  readonly #budgets: Budgets;

  constructor(context: Pick<EngineContext, 'channels' | 'settings' | 'now'>, budgets: Budgets) {
    this.#context = context;
    this.#budgets = budgets;
  }

  /** The change that `make` makes in its world, without the legs that can't be paid for. One without a session is free. */
  async paidFor<Made extends object>(
    payer: Payer,
    make: (within: (world: World) => World) => Made,
  ): Promise<PaidFor<Made>> {
    const unpaid = new Set<Unpaid>();
    for (let finding: Finding | null = null; ; ) {
      const made = make((world) => withoutUnpaid(world, unpaid));
      if (!hasSession(made)) return { made, held: [], finding };
      const payment = await this.#pay(payer, made.next);
      if (payment.kind === 'paid') return { made: { ...made, next: payment.next }, held: payment.held, finding };
      if (unpaid.has(payment.unpaid)) throw new Error(`session ${made.next.id} takes a leg that was refused`);
      unpaid.add(payment.unpaid);
      finding = payment.finding;
    }
  }

  async #pay({ before, account, keys }: Payer, next: Session): Promise<Payment> {
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

const hasSession = <Made extends object>(made: Made): made is Made & { next: Session } => 'next' in made;

const noted = ({ timeline, run }: Session, findings: readonly Finding[], at: number): TimelineEntry[] => [
  ...timeline,
  ...findings.map(({ rule, reason }): TimelineEntry => ({ at, run, kind: 'fraud_guard', rule, reason })),
];

/** A leg of a cascade is paid for by the keys that paid for the run's message before. */
const keysOf = (messages: readonly Message[], { run }: Message): readonly KeyBudget[] =>
  messages.findLast((each) => each.run === run && each.reserve)?.reserve?.keys ?? [];

/** The world of a change that can't pay for some legs. */
const withoutUnpaid = (world: World, unpaid: ReadonlySet<Unpaid>): World =>
  unpaid.size === 0
    ? world
    : {
        ...world,
        plan: (session, leg) => {
          const plan = world.plan(session, leg);
          const { run } = session;
          const isUnpaid = unpaid.has(`${run} all`) || unpaid.has(`${run} ${leg.channel}`);
          return plan.kind === 'usable' && isUnpaid ? { kind: 'skip', reason: 'budget_exhausted' } : plan;
        },
      };
