// POST /{phone_number_id}/messages: a request is checked, counted against the two sending limits, accepted, rendered and put on
// the phone. Its later statuses are in statuses.ts.

import type { Clock } from '../clock.ts';
import type { Response } from '../http/server.ts';
import type { Inbox } from '../inbox.ts';
import { type Accounts, newWamid, type PhoneNumber } from './accounts.ts';
import { type GraphCall, graphError } from './call.ts';
import { type AnswerFault, outcomeOf, type PlatformFaults } from './faults.ts';
import { MAX_CODE_LENGTH, type MessageRequest, readMessage, readRecipient } from './message-schema.ts';
import type { SentMessage, Statuses } from './statuses.ts';
import { render, type Template, type Templates } from './templates.ts';

export interface SendLimits {
  /** Messages a second from one business number; documented default 80. */
  perSecond: number;
  /** To one person: this many at once (documented: 45) … */
  pairBurst: number;
  /** … and then one each time this has passed (documented: 6 s). Milliseconds. */
  pairIntervalMs: number;
}

export const documentedLimits: SendLimits = { perSecond: 80, pairBurst: 45, pairIntervalMs: 6_000 };

interface Bucket {
  tokens: number;
  at: number;
}

/** Pairs that are remembered; beyond that the limiter forgets all of them. */
const MAX_PAIRS = 50_000;

export class SendLimiter {
  limits: SendLimits;
  readonly #clock: Clock;
  readonly #numbers = new Map<string, Bucket>();
  readonly #pairs = new Map<string, Bucket>();

  constructor(clock: Clock, limits: SendLimits) {
    this.#clock = clock;
    this.limits = limits;
  }

  /** Takes a token of both limits, or of neither. Returns the error code of the limit that is reached, else null. */
  take(phoneNumberId: string, to: string): 130429 | 131056 | null {
    const { perSecond, pairBurst, pairIntervalMs } = this.limits;
    const number = this.#filled(this.#numbers, phoneNumberId, perSecond, perSecond / 1000);
    if (number.tokens < 1) return 130429;
    if (this.#pairs.size > MAX_PAIRS) this.#pairs.clear();
    const pair = this.#filled(this.#pairs, `${phoneNumberId} ${to}`, pairBurst, 1 / pairIntervalMs);
    if (pair.tokens < 1) return 131056;
    number.tokens -= 1;
    pair.tokens -= 1;
    return null;
  }

  forget(): void {
    this.#numbers.clear();
    this.#pairs.clear();
  }

  #filled(buckets: Map<string, Bucket>, key: string, capacity: number, perMs: number): Bucket {
    const now = this.#clock.now();
    const bucket = buckets.get(key) ?? { tokens: capacity, at: now };
    bucket.tokens = Math.min(capacity, bucket.tokens + (now - bucket.at) * perMs);
    bucket.at = now;
    buckets.set(key, bucket);
    return bucket;
  }
}

export interface MessagesOptions {
  clock: Clock;
  inbox: Inbox;
  accounts: Accounts;
  faults: PlatformFaults;
  limiter: SendLimiter;
  templates: Templates;
  statuses: Statuses;
  scenarioPrefix: string;
  /** From the answer to delivery, instead of the scenario table's. Milliseconds. */
  deliverDelayMs: number | undefined;
}

export class Messages {
  readonly counts = { accepted: 0, refused: 0 };
  readonly #options: MessagesOptions;

  constructor(options: MessagesOptions) {
    this.#options = options;
  }

  async send(phone: PhoneNumber, call: GraphCall): Promise<Response> {
    const { faults } = this.#options;
    const fault = faults.takeAnswer();
    const answer = this.#answer(phone, call, fault);
    this.counts[answer.status === 200 ? 'accepted' : 'refused'] += 1;
    await this.#pause(faults.answerDelayMs);
    if (fault?.kind === 'lost') return { ...answer, cut: true };
    if (fault?.kind !== 'raw') return answer;
    return { status: fault.status, headers: { 'content-type': 'text/html' }, body: fault.body };
  }

  #answer(phone: PhoneNumber, { params }: GraphCall, fault: AnswerFault | null): Response {
    if (fault?.kind === 'error') return graphError(fault.code, { details: fault.details ?? 'As the test ordered.' });
    if (fault?.kind === 'raw' && !fault.taken) return graphError(2);
    if (phone.status !== 'CONNECTED') return graphError(133010, { details: 'The number is not registered.' });
    if (this.#options.accounts.wabas.get(phone.wabaId)?.disabled) {
      return graphError(131031, { details: 'The account of the number is disabled.' });
    }
    const read = readMessage(params);
    if (read.kind === 'refused') return read.answer;
    const { message } = read;
    const to = readRecipient(message.to);
    if (to === null) return graphError(131009, { details: `Parameter 'to' is no phone number.` });
    if (to === phone.number) return graphError(131021, { details: 'Recipient and sender are the same number.' });
    const filled = this.#fill(phone, message);
    if (filled.kind === 'refused') return filled.answer;
    const limit = this.#options.limiter.take(phone.id, to);
    if (limit !== null) return graphError(limit, { details: 'Too many messages in a short time; send more slowly.' });
    return this.#take(phone, message, to, filled.text);
  }

  /** The template's text with its parameters, or the answer to a mistake in them. */
  #fill(
    { wabaId }: PhoneNumber,
    { template }: MessageRequest,
  ): { kind: 'ok'; text: string } | { kind: 'refused'; answer: Response } {
    const { name, language, components = [] } = template;
    const refused = (code: number, details: string) =>
      ({ kind: 'refused', answer: graphError(code, { details }) }) as const;
    const found = this.#options.templates.find(wabaId, name, language.code);
    if (found?.status === 'PAUSED') return refused(132015, `template (${name}) is paused`);
    if (found?.status === 'DISABLED') return refused(132016, `template (${name}) is disabled`);
    if (found?.status !== 'APPROVED') {
      return refused(132001, `template name (${name}) does not exist in ${language.code}`);
    }
    const bodies = components.filter(({ type }) => type === 'body').flatMap(({ parameters }) => parameters);
    if (bodies.length !== 1) {
      return refused(132000, `body: number of parameters (${bodies.length}) does not match the expected number (1)`);
    }
    const buttons = components.filter((component) => component.type === 'button');
    if (buttons.length !== 1 || Number(buttons[0]?.index) !== 0 || buttons[0]?.parameters.length !== 1) {
      return refused(
        131008,
        'buttons: the button at index 0 of type url requires one parameter, and there is no other',
      );
    }
    const code = bodies[0]?.text ?? '';
    if (code.length > MAX_CODE_LENGTH) return refused(132005, `body: longer than ${MAX_CODE_LENGTH} characters`);
    return { kind: 'ok', text: phoneText(found, code, buttons[0]?.parameters[0]?.text ?? '') };
  }

  /** Accepts a request in which nothing is wrong; its outcome depends on the number, or on a script for it. */
  #take(phone: PhoneNumber, request: MessageRequest, to: string, text: string): Response {
    const { clock, inbox, faults, statuses, scenarioPrefix, deliverDelayMs } = this.#options;
    const script = faults.scriptFor(to);
    const isSilent = faults.mood === 'silent';
    const outcome = outcomeOf(to, scenarioPrefix, deliverDelayMs);
    if (!script && !isSilent && outcome.kind === 'refused')
      return graphError(outcome.code, { details: 'As this number stands for.' });
    const message: SentMessage = {
      wamid: newWamid(to),
      to,
      phone,
      opaque: request.biz_opaque_callback_data,
      acceptedAt: clock.now(),
      priced: null,
    };
    const arrives = script ? !script.statuses.includes('failed') : outcome.kind === 'accepted' && outcome.arrives;
    if (arrives && !isSilent) {
      const received_at = new Date(message.acceptedAt).toISOString();
      inbox.add({ channel: 'whatsapp', from: phone.verifiedName, to, text, operator: null, received_at });
    }
    if (isSilent) statuses.keep(message);
    else if (script) void statuses.playScript(message, script);
    else if (outcome.kind === 'accepted') statuses.play(message, outcome.steps);
    const contacts = [{ input: request.to, wa_id: to.slice(1) }];
    const messages = [{ id: message.wamid, message_status: 'accepted' }];
    return { status: 200, body: { messaging_product: 'whatsapp', contacts, messages } };
  }

  async #pause(ms: number): Promise<void> {
    if (ms <= 0) return;
    await new Promise<void>((resolve) => {
      this.#options.clock.after(ms, resolve);
    });
  }
}

/** The text on the phone, with the button's text where it differs from the code in the body: such a mistake should be seen. */
function phoneText(template: Template, code: string, button: string): string {
  const text = render(template, code);
  return button === code ? text : `${text}\n[${template.buttonText}: ${button}]`;
}
