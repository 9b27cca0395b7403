// The telephone of one simulated process: calls that ring, are answered or not, and live and die with their process.
import type { CarrierReceipt, Channel, OutgoingMessage, Place, SendOutcome } from '../../src/channels/channel.ts';
import type { CallReport, CallState } from '../../src/core/verify/call.ts';
import type { Plan } from '../../src/core/verify/event.ts';
import { untilStored } from '../../src/time/repeat.ts';
import { reportOf, tariff } from './carrier.ts';
import type { Wire } from './sms-channel.ts';
import { whenOver } from './stopping.ts';

const trunk = 'trunk1';
const voiceRoute = `voice/${trunk}`;

/** Calls: ringing, answered or not, and over. */
export class SimulatedVoice implements Channel {
  readonly staysHere = true;
  readonly echoesMessageId = true;
  readonly #wire: Wire;
  readonly #up = new Map<string, { message: OutgoingMessage; isAnswered: boolean }>();
  /** Calls that are placed, up, or whose last report is not stored. */
  #unfinished = 0;
  #isDraining = false;

  constructor(wire: Wire) {
    this.#wire = wire;
  }

  plan(): Plan {
    return { kind: 'usable', route: voiceRoute, operator: null, senderId: null };
  }
  canSend(route: string): boolean {
    return route === voiceRoute && !this.#isDraining;
  }
  routes(): string[] {
    return this.#isDraining ? [] : [voiceRoute];
  }
  ratePerSecond(): null {
    return null;
  }

  async reserve(): Promise<Place | null> {
    return this.#isDraining ? null : { release: () => {}, send: (message) => this.#call(message) };
  }

  /** Takes no new calls; those under way have so long. */
  drain(graceMs: number): Promise<boolean> {
    this.#isDraining = true;
    return whenOver(() => this.#unfinished, 'calls to be over', graceMs);
  }

  cancel(messageId: string): void {
    const call = this.#up.get(messageId);
    if (call && !call.isAnswered) this.#end(messageId, 'canceled');
  }

  async #call(message: OutgoingMessage): Promise<SendOutcome> {
    if (this.#isDraining) return { kind: 'not_sent', reason: 'draining' };
    const { random, operators, taken, heard } = this.#wire;
    const fate = random.weighted({ answered: 4, busy: 1, no_answer: 2 });
    if (fate === 'busy')
      return { kind: 'rejected', reason: 'submit_refused', errorCode: '486', call: callOf('busy', true) };
    operators.ring(message);
    taken(message);
    this.#up.set(message.id, { message, isAnswered: false });
    this.#unfinished += 1;
    if (fate === 'answered') setTimeout(() => this.#answer(message), random.between(100, 2_500));
    else setTimeout(() => this.#end(message.id, 'no_answer'), random.between(2_000, 6_000));
    await new Promise<void>((resolve) => setTimeout(resolve, random.between(1, 50)));
    return heard({
      kind: 'accepted',
      providerMessageId: null,
      reference: null,
      parts: 0,
      tariff,
      call: callOf('ringing'),
    });
  }

  #answer(message: OutgoingMessage): void {
    const call = this.#up.get(message.id);
    if (!call) return;
    call.isAnswered = true;
    const { accountId, sessionId, id: messageId } = message;
    const answered = callOf('answered', false, Date.now());
    const holdUntil = Date.now() + 3_000;
    void untilStored(
      () => this.#wire.intake().takeAnswered({ accountId, sessionId, messageId, call: answered, holdUntil }),
      () => {},
    );
    this.#wire.operators.hear(message);
    setTimeout(() => this.#end(messageId, 'heard'), this.#wire.random.between(500, 2_500));
  }

  #end(messageId: string, state: 'canceled' | 'no_answer' | 'heard'): void {
    const call = this.#up.get(messageId);
    if (!call) return;
    this.#up.delete(messageId);
    const { message } = call;
    const status = state === 'heard' ? 'DELIVRD' : 'UNDELIV';
    const receiptOfCall: CarrierReceipt = {
      operator: 'voice',
      references: [`${voiceRoute} ${messageId}`],
      number: message.to,
      receipt: {
        ...reportOf(status, Date.now(), null),
        detail: state === 'heard' ? 'answered' : null,
        call: callOf(state, true, state === 'heard' ? Date.now() : null),
      },
    };
    const stored = untilStored(
      () => this.#wire.intake().take(receiptOfCall),
      () => {},
    );
    void stored.finally(() => {
      this.#unfinished -= 1;
    });
  }
}

const callOf = (state: CallState, ended = false, answeredAt: number | null = null): CallReport => ({
  state,
  ringMs: answeredAt === null && !ended ? null : 1_000,
  answeredAt,
  talkSeconds: ended ? (answeredAt === null ? 0 : 2) : null,
  sipCode: ended ? 200 : null,
  q850: null,
  keys: 0,
  readings: state === 'heard' ? 1 : 0,
  trunk,
  ended,
});
