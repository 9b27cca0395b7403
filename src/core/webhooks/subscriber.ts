// The endpoints of an account that get an event: each takes every type, or those it names.

/** An endpoint that is switched on. */
export interface Subscriber {
  id: string;
  /** Empty = every type. */
  eventTypes: readonly string[];
}

/** Ids of those that want an event of this type. */
export const wantedBy = (subscribers: readonly Subscriber[], type: string): string[] =>
  subscribers.flatMap(({ id, eventTypes }) => (eventTypes.length === 0 || eventTypes.includes(type) ? [id] : []));
