// The sandbox's telephone network: one SIP port, its trunk, behind which every number is a phone. Scenario numbers do what the scenario
// table says; every other person answers and presses a key.

import { BoundedMap } from '../../collections/small-maps.ts';
import { defaultScenario, scenarioOf } from '../../core/verify/scenarios.ts';
import { type Clock, Schedule, systemClock } from '../clock.ts';
import type { Feed } from '../feed.ts';
import type { Inbox } from '../inbox.ts';
import { type MoodWord, slowMs, trunkMoods } from '../views.ts';
import { Calls } from './calls.ts';
import { type Credentials, Gate } from './digest.ts';
import { type Bank, DigitFinder } from './digits.ts';
import { PhoneFaults } from './faults.ts';
import { Hearing } from './hearing.ts';
import { methods, Phone } from './phone.ts';
import { Recordings } from './recording.ts';
import { Pacer } from './rtp.ts';
import { type Offer, readOffer } from './sdp.ts';
import { type Incoming, loadSip, type Request, SipStack } from './stack.ts';
import { callerOf, dialedNumber } from './trunk.ts';

export interface PhonesOptions {
  inbox: Inbox;
  /** Default 127.0.0.1. */
  host?: string | undefined;
  /** UDP port of the trunk. Default 0: any free port. */
  port?: number | undefined;
  /** Prefix of the scenario numbers; default null: every person answers and presses a key. */
  scenarioPrefix?: string | null | undefined;
  /** Calls must bring these, by digest. Default null: the trunk takes every call. */
  credentials?: Credentials | null | undefined;
  /** The voices whose digits phones know. */
  banks: readonly Bank[];
  /** Address of a recording by its id. Default: the path. */
  recordingUrl?: ((id: string) => string) | undefined;
  /** Where calls are announced. Default: nowhere. */
  feed?: Feed | undefined;
  clock?: Clock | undefined;
}

export interface PhonesCounts {
  calls: number;
  answered: number;
  /** Ringing or answered now. */
  up: number;
  peak_up: number;
  /** OPTIONS that were answered. */
  pings: number;
}

export type StartedPhones =
  | { kind: 'up'; phones: Phones }
  /** `reason`: for the person who starts the sandbox. */
  | { kind: 'unavailable'; reason: string };

/** Beyond it the phone that was taken first is left to its scenario. */
const mostPeople = 1_000;

const gone = [481, 'Call/Transaction Does Not Exist'] as const;

/** @throws when the port is taken. */
export async function startPhones(options: PhonesOptions): Promise<StartedPhones> {
  const sip = await loadSip();
  if (!sip) {
    const reason = 'the sandbox has no phones: its SIP stack is a development dependency (npm install --include=dev)';
    return { kind: 'unavailable', reason };
  }
  const phones = new Phones(sip, options);
  await phones.become('up');
  return { kind: 'up', phones };
}

export class Phones {
  /** Refuse, delay, mute; `become` makes the trunk silent or unreachable. */
  readonly faults = new PhoneFaults();
  readonly recordings = new Recordings();
  readonly calls: Calls;
  readonly #options: PhonesOptions;
  readonly #host: string;
  readonly #clock: Clock;
  readonly #stack: SipStack;
  readonly #gate: Gate | null;
  readonly #pacer: Pacer;
  readonly #finder: DigitFinder;
  readonly #schedule: Schedule;
  /** Numbers whose calls wait for the person at the page. */
  readonly #people = new BoundedMap<string, true>(mostPeople);
  /** Phones with a call, by Call-ID: one call at a time has it. */
  readonly #phones = new Map<string, Phone>();
  readonly #counts = { calls: 0, answered: 0, peak_up: 0, pings: 0 };

  constructor(sip: ConstructorParameters<typeof SipStack>[0], options: PhonesOptions) {
    const { host = '127.0.0.1', port = 0, credentials = null, banks, clock = systemClock } = options;
    this.calls = new Calls(clock, options.feed);
    this.#options = options;
    this.#host = host;
    this.#clock = clock;
    this.#gate = credentials && new Gate(credentials, clock);
    this.#pacer = new Pacer(clock, this.faults);
    this.#finder = new DigitFinder(banks);
    this.#schedule = new Schedule(clock);
    this.#stack = new SipStack(sip, {
      host,
      port,
      isLost: ({ method, headers }) => method === 'INVITE' && !headers.to.params.tag && this.faults.mood === 'silent',
      onRequest: (incoming) => this.#request(incoming),
      onAck: (request) => this.#dialogOf(request)?.acknowledge(),
    });
  }

  /** The port listened on; the same again after `gone` and `up`. */
  get port(): number {
    return this.#stack.port;
  }

  get counts(): PhonesCounts {
    return { ...this.#counts, up: this.#phones.size };
  }

  /** `silent`: nothing is answered. `gone`: datagrams are refused. Calls that are up keep their audio. @throws when the port is taken. */
  async become(state: 'up' | 'silent' | 'gone'): Promise<void> {
    this.#stack.deaf = state === 'silent';
    await (state === 'gone' ? this.#stack.close() : this.#stack.open());
  }

  get mood(): MoodWord {
    if (!this.#stack.isOpen) return 'down';
    return this.#stack.deaf ? 'silent' : this.faults.mood;
  }

  /** @throws when it cannot listen again, because its port is taken. */
  async behave(mood: MoodWord): Promise<void> {
    const own = trunkMoods.find((each) => each === mood) ?? 'well';
    this.faults.mood = own === 'down' ? 'well' : own;
    await this.become(mood === 'down' ? 'gone' : 'up');
  }

  /** Calls to this number wait for the person at the page from now on, or for the scenario; one that rings does so, too. */
  meet(number: string, isPersonThere: boolean): void {
    const wasThere = this.#people.has(number);
    if (isPersonThere) this.#people.set(number, true);
    else this.#people.delete(number);
    for (const phone of this.#at(number)) phone.meet(isPersonThere);
    if (wasThere !== isPersonThere) this.#options.feed?.announce('people', this.people);
  }

  /** No one is at the page any more: every phone is left to its scenario. */
  leave(): void {
    for (const number of [...this.#people.keys()]) this.meet(number, false);
  }

  /** Numbers whose calls wait for the person. */
  get people(): string[] {
    return [...this.#people.keys()];
  }

  /** The person takes the call that rings at this number, or does not want it. False when none rings. */
  decide(number: string, wants: 'answer' | 'decline'): boolean {
    return this.#at(number).some((phone) => phone.decide(wants));
  }

  /** False when no call is up at this number. */
  press(number: string, key: string): boolean {
    return this.#at(number).some((phone) => phone.press(key));
  }

  /** False when no call is up at this number. */
  hangUp(number: string): boolean {
    return this.#at(number).some((phone) => phone.hangUp());
  }

  /** Ends every fault. */
  async reset(): Promise<void> {
    this.faults.reset();
    await this.become('up');
  }

  async stop(): Promise<void> {
    this.#schedule.stop();
    for (const phone of this.#phones.values()) phone.stop();
    await this.#stack.close();
  }

  #at(number: string): Phone[] {
    return [...this.#phones.values()].filter((phone) => phone.number === number);
  }

  /** The call that a request with a To tag is about. */
  #dialogOf(request: Request): Phone | undefined {
    const phone = this.#phones.get(request.headers['call-id']);
    return phone?.owns(request) ? phone : undefined;
  }

  #request(incoming: Incoming): void {
    const { request, answer } = incoming;
    const { method, headers } = request;
    const { delayMs } = this.faults;
    if (method === 'CANCEL') this.#cancel(incoming);
    else if (headers.to.params.tag) this.#withinDialog(incoming);
    else if (method === 'INVITE' && delayMs > 0) {
      this.#schedule.later(incoming, delayMs, () => this.#invite(incoming));
    } else if (method === 'INVITE') this.#invite(incoming);
    else if (method === 'OPTIONS') {
      this.#counts.pings += 1;
      answer(200, 'OK', { headers: { allow: methods, accept: 'application/sdp' } });
    } else answer(405, 'Method Not Allowed', { headers: { allow: methods } });
  }

  #withinDialog(incoming: Incoming): void {
    const phone = this.#dialogOf(incoming.request);
    if (!phone) incoming.answer(...gone);
    else if (incoming.request.method !== 'BYE' || this.#mayPass(incoming)) phone.take(incoming);
  }

  #cancel({ request, answer }: Incoming): void {
    const phone = this.#phones.get(request.headers['call-id']);
    if (!phone || phone.branch !== request.headers.via[0]?.params.branch) {
      answer(...gone);
      return;
    }
    answer(200, 'OK');
    phone.cancel();
  }

  /** True where the caller has shown who it is; else it has been answered. */
  #mayPass({ request, answer }: Incoming): boolean {
    const verdict = this.#gate?.judge(request) ?? { kind: 'ok' };
    if (verdict.kind === 'challenge') answer(407, 'Proxy Authentication Required', { headers: verdict.headers });
    if (verdict.kind === 'refused') answer(403, 'Forbidden');
    return verdict.kind === 'ok';
  }

  #invite(incoming: Incoming): void {
    if (!this.#mayPass(incoming)) return;
    // Once for a call, and not for its challenge, too.
    if (this.faults.mood === 'slow') this.#schedule.later(incoming, slowMs, () => this.#take(incoming));
    else this.#take(incoming);
  }

  #take(incoming: Incoming): void {
    const { request, answer } = incoming;
    const { headers } = request;
    const refusal = this.faults.takeRefusal();
    const number = dialedNumber(request.uri);
    const offer = readOffer(request.content ?? '');
    if (refusal) {
      const { status, retryAfterSeconds: seconds } = refusal;
      answer(status, 'Refused', { headers: seconds === null ? {} : { 'retry-after': String(seconds) } });
    } else if (typeof headers.require === 'string') {
      answer(420, 'Bad Extension', { headers: { unsupported: headers.require } });
    } else if (this.#phones.has(headers['call-id'])) answer(482, 'Loop Detected');
    else if (number === null) answer(404, 'Not Found', { headers: { reason: 'Q.850;cause=1' } });
    else if (!offer) answer(488, 'Not Acceptable Here');
    else {
      answer(100, 'Trying');
      this.#ring(number, incoming, offer);
    }
  }

  #ring(number: string, incoming: Incoming, offer: Offer): void {
    const { scenarioPrefix = null, inbox, recordingUrl = (id) => `/sandbox/recordings/${id}.wav` } = this.#options;
    const { headers } = incoming.request;
    const scenario = (scenarioPrefix !== null && scenarioOf(number, scenarioPrefix)) || defaultScenario;
    const from = callerOf(this.#stack.sip.stringifyUri(headers.from.uri));
    const isPersonThere = this.#people.has(number);
    const call = this.calls.begin({ to: number, from, person: isPersonThere });
    const phone = new Phone(number, incoming, offer, scenario.voice, {
      host: this.#host,
      clock: this.#clock,
      stack: this.#stack,
      pacer: this.#pacer,
      hear: ({ codec }) =>
        new Hearing({
          from,
          to: number,
          codec,
          finder: this.#finder,
          recordings: this.recordings,
          urlOf: recordingUrl,
          inbox,
          call,
          clock: this.#clock,
        }),
      call,
      isPersonThere,
      onAnswered: () => {
        this.#counts.answered += 1;
      },
      onOver: () => this.#phones.delete(headers['call-id']),
    });
    this.#phones.set(headers['call-id'], phone);
    this.#counts.calls += 1;
    this.#counts.peak_up = Math.max(this.#counts.peak_up, this.#phones.size);
    phone.begin();
  }
}
