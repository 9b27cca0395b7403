// The rows of a change, made from a session's state and the next one. Pure, so that what is stored can be tested without a database.

import { isErased, storableId } from '../../core/erasure/number-forms.ts';
import { shardOf } from '../../core/ids.ts';
import type { Effect } from '../../core/verify/event.ts';
import type { Rules } from '../../core/verify/rules.ts';
import { echoedReference, isOutgoing, isTerminal, type Session } from '../../core/verify/session.ts';
import { type EventBody, eventBody, lockedType, numberLocked } from '../../core/webhooks/event-body.ts';
import { type Subscriber, wantedBy } from '../../core/webhooks/subscriber.ts';
import { routeHeldBy } from '../../db/fleet/holder.ts';
import type { NumberLimits } from '../../db/limits/number-tokens.ts';
import { isNumberReference } from '../../db/receipts/receipts.ts';
import type { KeptAnswer, OpenItem } from '../../db/verify/open.ts';
import type { SavedEvent, SaveItem } from '../../db/verify/save.ts';
import { encodeTimeline } from '../../db/verify/timeline.ts';

/** What the rows of a change need beside the two states. */
export interface ChangeContext {
  now: number;
  /** Who held the session before the change, and who does after it. */
  holderBefore: string | null;
  holder: string | null;
  newEventId(): string;
  /** The rules in force, which events show a part of. */
  rules: Rules;
  /** Endpoints of the account and mode. */
  endpoints: readonly Subscriber[];
  /** The process that posts the webhooks for the first time. */
  deliveryHolder: string;
  /** Limits that sends to the number are checked against; null where they are not counted. */
  numberLimits: NumberLimits | null;
}

export interface Change {
  item: SaveItem;
  bodies: EventBody[];
}

/** Parts of a save that do not come from the state machine. */
export interface Extras {
  /** References the carrier's receipts will name, by message. */
  references: { messageId: string; operator: string; reference: string }[];
  idempotency: KeptAnswer | null;
  /** True where a check is in it: refused while the number is locked. */
  guarded: boolean;
  /** 1 where that check was wrong. */
  failures: number;
  /** 1 where a resend is in it, or room for a send: it takes a token of its number. */
  sends: number;
  /** The id of that resend, where another process may do it as well. */
  operation: string | null;
}

export function toSaveItem(
  before: Session,
  next: Session,
  effects: readonly Effect[],
  extras: Extras,
  context: ChangeContext,
): Change {
  const events = eventsOf(next, effects, extras, context);
  const holder = next.messages.some(isOutgoing) ? context.holder : null;
  const moves = holder !== context.holderBefore;
  const item: SaveItem = {
    session: next,
    change: {
      legs: next.legs === before.legs ? null : next.legs,
      shard: shardOf(next.id),
      timeline: encodeTimeline(next.timeline.slice(before.timeline.length)),
      holder,
      leavesQueue: moves ? routeHeldBy(context.holderBefore) : null,
      joinsQueue: moves ? routeHeldBy(holder) : null,
      unsettled: isUnsettled(next) === isUnsettled(before) ? null : isUnsettled(next),
      guarded: extras.guarded,
      failures: extras.failures,
      now: context.now,
      deliveryHolder: context.deliveryHolder,
    },
    messages: next.messages.slice(0, before.messages.length).filter((each, index) => each !== before.messages[index]),
    newMessages: next.messages.slice(before.messages.length),
    receipts: effects.flatMap((effect) => (effect.kind === 'receipt' ? [effect.receipt] : [])),
    references: isErased(next.to) ? extras.references.filter((each) => isStorable(each, next)) : extras.references,
    events,
    key: extras.idempotency,
    resend: extras.sends > 0 ? context.numberLimits : null,
    operation: extras.operation,
  };
  return { item, bodies: events };
}

/** Of a session whose number was erased, a message is filed under nothing that has the number in it. */
const isStorable = ({ messageId, reference }: Extras['references'][number], { to, messages }: Session): boolean => {
  const message = messages.find(({ id }) => id === messageId);
  if (!message || isNumberReference(reference)) return false;
  return reference === echoedReference(message.route, messageId) || storableId(to, message.channel, reference) !== null;
};

/** An event that no endpoint wants is not even rendered. */
function eventsOf(
  next: Session,
  effects: readonly Effect[],
  { failures }: Extras,
  context: ChangeContext,
): SavedEvent[] {
  const { endpoints, newEventId, now, rules } = context;
  if (endpoints.length === 0) return [];
  const rendered = (type: string, body: (id: string) => EventBody): SavedEvent[] => {
    const endpointIds = wantedBy(endpoints, type);
    return endpointIds.length === 0 ? [] : [{ ...body(newEventId()), endpointIds }];
  };
  return [
    ...effects.flatMap((effect) =>
      effect.kind === 'emit' ? rendered(effect.type, (id) => eventBody(effect, id, rules)) : [],
    ),
    ...(failures > 0 ? rendered(lockedType, (id) => numberLocked(next, id, now)) : []),
  ];
}

/** Over, and an answer or a deadline is still to come, or a call is up: if the process dies that has it, another one has to find it. */
const isUnsettled = (session: Session): boolean =>
  isTerminal(session) &&
  (session.nextAt !== null || session.messages.some((message) => isOutgoing(message) || message.holder !== null));

export const toOpenItem = (
  session: Session,
  holder: string,
  idempotency: KeptAnswer | null,
  limits: NumberLimits | null = null,
): OpenItem => ({ session, holder, idempotency, limits });
