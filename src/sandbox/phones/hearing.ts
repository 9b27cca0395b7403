// What the person at a phone hears of one call: the recording grows, digits are recognised in it while it does, and the inbox gets its
// entry as soon as one reading of the code is complete, or else at the end of the call.

import type { Clock } from '../clock.ts';
import type { Inbox } from '../inbox.ts';
import type { InboxMessage } from '../views.ts';
import type { ShownCall } from './calls.ts';
import { type DigitFinder, type FoundDigit, readingsOf } from './digits.ts';
import { isSilent, Recording, type Recordings } from './recording.ts';
import type { RtpPacket } from './rtp.ts';
import type { Codec } from './sdp.ts';

export interface HearingOptions {
  from: string;
  /** E.164. */
  to: string;
  codec: Codec;
  finder: DigitFinder;
  recordings: Recordings;
  /** Address of a recording. */
  urlOf(id: string): string;
  call: ShownCall;
  inbox: Inbox;
  clock: Clock;
}

const samplesPerMs = 8;
/** Between two looks for digits: a look at each packet would find nothing more. */
const lookEveryMs = 250;

export class Hearing {
  readonly #recording: Recording;
  readonly #options: HearingOptions;
  readonly #id: string;
  #found: FoundDigit[] = [];
  /** Samples received at the last look, and recorded at the next. */
  #lookedAt = 0;
  #nextLookAt = lookEveryMs * samplesPerMs;
  #heardSamples = 0;
  #message: InboxMessage | null = null;

  constructor(options: HearingOptions) {
    this.#options = options;
    this.#recording = new Recording(options.codec);
    this.#id = options.recordings.add(this.#recording);
  }

  /** Address of the recording. */
  get url(): string {
    return this.#options.urlOf(this.#id);
  }

  /** How long something other than silence was heard. */
  get heardMs(): number {
    return this.#heardSamples / samplesPerMs;
  }

  take(packet: RtpPacket): void {
    const { codec } = this.#options;
    this.#recording.take(packet);
    if (packet.payload.some((octet) => !isSilent(codec, octet))) this.#heardSamples += packet.payload.length;
    if (this.#recording.length < this.#nextLookAt) return;
    this.#nextLookAt = this.#recording.length + lookEveryMs * samplesPerMs;
    const octets = this.#recording.received;
    this.#look(octets);
    const { readings, isLastComplete } = readingsOf(this.#found, octets, codec);
    this.#options.call.hear(readings[0] ?? '');
    const complete = isLastComplete ? readings : readings.slice(0, -1);
    if (complete.length > 0) this.#tell(complete);
  }

  /** The call is over: packets that came late have been placed, so the whole recording is read once more. */
  end(): void {
    const { finder, codec } = this.#options;
    const octets = this.#recording.received;
    this.#found = finder.find(octets, codec);
    const { readings } = readingsOf(this.#found, octets, codec);
    this.#options.call.hear(readings[0] ?? '');
    this.#tell(readings);
    this.#recording.end();
  }

  /** Looks at what is new, and as far back as a clip may have begun. */
  #look(octets: Buffer): void {
    const { finder, codec } = this.#options;
    const from = Math.max(this.#found.at(-1)?.end ?? 0, this.#lookedAt - finder.longest);
    this.#found.push(...finder.find(octets, codec, from));
    this.#lookedAt = octets.length;
  }

  #tell(readings: readonly string[]): void {
    const spoken = readings.map((digits) => [...digits].join(' ')).join(', ');
    const text = `call: ${spoken || 'no digits'}`;
    const { from, to, inbox, clock, call } = this.#options;
    if (this.#message) {
      inbox.reword(this.#message, text);
      return;
    }
    const received_at = new Date(clock.now()).toISOString();
    const digits = readings[0] ?? '';
    const about = { channel: 'voice', from, to, text, operator: null, received_at };
    this.#message = inbox.add({ ...about, call_id: call.id, digits, wav: this.url });
  }
}
