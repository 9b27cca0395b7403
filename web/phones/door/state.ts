// The page's picture of the sandbox: what one event after another makes of it. Pure, so that every turn is tested without a browser.

import type { DoorEvent, Hello, InboxMessage, PhoneCall } from './events.ts';

export interface DoorState extends Hello {
  /** `connecting`: never been up. `lost`: was up, and is tried again. */
  connection: 'connecting' | 'live' | 'lost';
  /** How often the phones were emptied: they were cleared, or the connection came back, as to a sandbox that was started again. */
  emptied: number;
}

export const nothingYet: DoorState = {
  connection: 'connecting',
  emptied: 0,
  messages: [],
  webhooks: [],
  calls: [],
  people: [],
  moods: [],
  service: null,
  numbers: {},
  scenarios: [],
  operators: [],
};

/** Messages, webhooks and calls the page keeps: a load test must not fill the tab. */
const mostKept = 400;

export type DoorChange = DoorEvent | { name: 'lost' };

export function changed(state: DoorState, change: DoorChange): DoorState {
  switch (change.name) {
    case 'hello':
      return { ...change.data, connection: 'live', emptied: state.emptied + (state.connection === 'lost' ? 1 : 0) };
    case 'lost':
      return { ...state, connection: state.connection === 'connecting' ? 'connecting' : 'lost' };
    case 'message':
      return { ...state, messages: put(state.messages, change.data) };
    case 'webhook':
      return { ...state, webhooks: put(state.webhooks, change.data) };
    case 'call':
      return { ...state, calls: put(state.calls, change.data) };
    case 'moods':
      return { ...state, moods: change.data };
    case 'service':
      return { ...state, service: change.data };
    case 'people':
      return { ...state, people: change.data };
    case 'cleared':
      if (change.data.what === 'webhooks') return { ...state, webhooks: [] };
      return { ...state, emptied: state.emptied + 1, messages: [], calls: state.calls.filter(isUp) };
  }
}

const isUp = ({ state }: PhoneCall): boolean => state !== 'over';

/** In the place of the one with its id, else at the end. */
function put<T extends { id: string }>(list: readonly T[], item: T): T[] {
  const at = list.findLastIndex(({ id }) => id === item.id);
  if (at >= 0) return list.with(at, item);
  return [...list, item].slice(-mostKept);
}

/** What reached a phone after `before`: what a person who looks away has missed. A call counts when it rings, and its words don't again. */
export function arrivals(before: DoorState, after: DoorState): (InboxMessage | PhoneCall)[] {
  if (before.connection === 'connecting') return [];
  const texts = after.messages.filter(({ channel }) => channel !== 'voice');
  const rings = after.calls.filter(({ state }) => state === 'ringing');
  return [...beyond(before.messages, texts), ...beyond(before.calls, rings)];
}

function beyond<T extends { id: string }>(known: readonly T[], list: readonly T[]): T[] {
  const ids = new Set(known.map(({ id }) => id));
  return list.filter(({ id }) => !ids.has(id));
}
