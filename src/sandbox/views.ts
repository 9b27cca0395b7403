// What pages and tests see of the sandbox, as its JSON: messages, calls, webhooks, moods, and the events that announce them.

export interface InboxMessage {
  /** Grows from message to message. */
  id: string;
  channel: string;
  /** Sender name or number. */
  from: string;
  /** E.164. */
  to: string;
  text: string;
  /** The operator's id; null where no operator is involved. */
  operator: string | null;
  /** RFC 3339. */
  received_at: string;
  /** Calls: id of the call. */
  call_id?: string;
  /** Calls: the digits that were heard. */
  digits?: string;
  /** Calls: address of the recording. */
  wav?: string;
}

/**
 * `declined`, `hung_up`: by the person. `busy`, `no_answer`: the person was not reached. `canceled`, `caller_hung_up`: by the caller.
 * `not_acknowledged`: the caller fell silent at the answer. `stopped`: the sandbox ended.
 */
export type CallEnd =
  | 'declined'
  | 'hung_up'
  | 'busy'
  | 'no_answer'
  | 'canceled'
  | 'caller_hung_up'
  | 'not_acknowledged'
  | 'stopped';

/** Times in RFC 3339. */
export interface PhoneCall {
  /** Grows from call to call. */
  id: string;
  /** E.164. */
  to: string;
  /** Number or name of the caller. */
  from: string;
  state: 'ringing' | 'answered' | 'over';
  /** True: the call waits for the person at the page, and not for the scenario of the number. */
  person: boolean;
  ringing_since: string;
  answered_at: string | null;
  over_at: string | null;
  end: CallEnd | null;
  /** Digits heard so far: the first reading of them. */
  digits: string;
  /** Keys that the person pressed. */
  keys: string;
  /** Address of the recording; null until the call was answered. */
  wav: string | null;
}

export interface ReceivedWebhook {
  /** Grows from delivery to delivery; a repeated webhook has another one each time. */
  id: string;
  /** The endpoint it was posted to; `default` where the path names none. */
  endpoint: string;
  headers: Record<string, string>;
  /** The body exactly as received, since the signature is over these octets. */
  body: string;
  /** `body` as JSON; null where it is none. */
  event: unknown;
  /** RFC 3339. */
  received_at: string;
  /** True when the signature is right under one of the endpoint's secrets. */
  verified: boolean;
  /** The HTTP status it was answered with. */
  answered: number;
}

/**
 * `well`: as at the start. `slow`: answers take 3 s. `throttling`: submits are refused as too fast. `silent`: everything is taken,
 * and nothing follows: no receipt, no status, nothing on the phone (a trunk does not answer an INVITE). `down`: connections are cut
 * and the port is closed (the platform answers 503). `refusing`: submits are refused for good. Of operators alone: `stuck`: binds are
 * taken and enquire_link is answered, and submits are neither taken nor answered. `unbinding`: a submit makes the operator unbind first,
 * and answer then, as at a restart in the night.
 */
export const moodWords = ['well', 'slow', 'throttling', 'silent', 'stuck', 'unbinding', 'down', 'refusing'] as const;

export type MoodWord = (typeof moodWords)[number];

/** The platform has no binds. */
export const platformMoods = ['well', 'slow', 'throttling', 'silent', 'down', 'refusing'] as const;

/** A trunk has no word that a caller would read as "more slowly", either: it refuses, or does not answer. */
export const trunkMoods = ['well', 'slow', 'silent', 'down', 'refusing'] as const;

/** How long an answer takes in the mood `slow`. */
export const slowMs = 3_000;

/** From the operator's unbind to its answers in the mood `unbinding`: within the time that an ESME has to wait for them. */
export const unbindingMs = 200;

export interface Mood {
  /** An operator's id, `whatsapp` or `trunk`. */
  of: string;
  mood: MoodWord;
  /** The moods that it can have. */
  moods: readonly MoodWord[];
}

/** Addresses of the two doors: of HTTP with its scheme, of gRPC without. */
export interface Service {
  http: string;
  grpc: string;
}

/** The first event: everything as it stands then. Lists are oldest first. */
export interface Hello {
  messages: readonly InboxMessage[];
  webhooks: readonly ReceivedWebhook[];
  calls: readonly PhoneCall[];
  /** Numbers whose calls wait for the person at the page. */
  people: readonly string[];
  moods: readonly Mood[];
  service: Service | null;
  /** Scenario → number. */
  numbers: Readonly<Record<string, string>>;
  scenarios: readonly { name: string; number: string; description: string }[];
  operators: readonly Operator[];
}

export interface Operator {
  id: string;
  prefixes: readonly string[];
}

/** Each event that follows by its name: what a reader of `GET /sandbox/events` gets with it. */
export interface SandboxEvents {
  /** A message reached a phone; or one that is known by its id says more now, as a call does at its end. */
  message: InboxMessage;
  webhook: ReceivedWebhook;
  call: PhoneCall;
  /** All of them. */
  moods: readonly Mood[];
  service: Service | null;
  /** All numbers whose calls wait for the person. */
  people: readonly string[];
  cleared: { what: 'messages' | 'webhooks' };
}
