// What the sandbox's own door says: the events of `GET /sandbox/events`, one type each. Times are RFC 3339.

export interface InboxMessage {
  id: string;
  channel: string;
  /** Sender name or number. */
  from: string;
  /** E.164. */
  to: string;
  text: string;
  operator: string | null;
  received_at: string;
  /** Calls: the digits that were heard, the recording, and which call it is. */
  digits?: string;
  wav?: string;
  call_id?: string;
}

/** A webhook as the sandbox's endpoint took it. */
export interface ReceivedWebhook {
  id: string;
  endpoint: string;
  headers: Record<string, string>;
  /** As received: the signature is over these octets. */
  body: string;
  /** `body` as JSON; null where it is none. */
  event: unknown;
  received_at: string;
  verified: boolean;
  /** The HTTP status it was answered with. */
  answered: number;
}

export interface PhoneCall {
  id: string;
  to: string;
  from: string;
  state: 'ringing' | 'answered' | 'over';
  /** The call waits for the person at the page, not for the scenario's script. */
  person: boolean;
  ringing_since: string;
  answered_at: string | null;
  over_at: string | null;
  /** How it ended, e.g. `declined`, `canceled`, `hung_up`. */
  end: string | null;
  /** Digits heard so far. */
  digits: string;
  /** Keys pressed so far. */
  keys: string;
  wav: string | null;
}

export type MoodName = 'well' | 'slow' | 'throttling' | 'silent' | 'down' | 'refusing';

/** How an operator, the messaging platform or the trunk behaves. */
export interface Mood {
  of: string;
  mood: MoodName;
  /** Those it can have. */
  moods: MoodName[];
}

/** Addresses of the service behind the sandbox. */
export interface Service {
  http: string;
  grpc: string;
}

export interface ScenarioNumber {
  name: string;
  number: string;
  description: string;
}

export interface Operator {
  id: string;
  prefixes: string[];
}

/** The state of everything, on connect. Lists are oldest first. */
export interface Hello {
  messages: InboxMessage[];
  webhooks: ReceivedWebhook[];
  calls: PhoneCall[];
  /** Numbers whose calls wait for the person at the page. */
  people: string[];
  moods: Mood[];
  service: Service | null;
  numbers: Record<string, string>;
  scenarios: ScenarioNumber[];
  operators: Operator[];
}

/** Name of an event → its data. */
export interface DoorEvents {
  hello: Hello;
  message: InboxMessage;
  webhook: ReceivedWebhook;
  call: PhoneCall;
  moods: Mood[];
  service: Service | null;
  cleared: { what: 'messages' | 'webhooks' };
}

export type DoorEvent = { [Name in keyof DoorEvents]: { name: Name; data: DoorEvents[Name] } }[keyof DoorEvents];

export const doorEventNames = ['hello', 'message', 'webhook', 'call', 'moods', 'service', 'cleared'] as const;
