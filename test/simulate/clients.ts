// The clients: each operation of a schedule is a call by the API's words, to some process, tried again where no answer came. What was asked and
// what was answered is the evidence that promises are checked by.
import { createHash } from 'node:crypto';
import type { CheckResult, SendRequest, SendResult } from '../../src/engine/engine.ts';
import type { OnPhone, Operators } from './carrier.ts';
import type { SimulatedProcess } from './process.ts';
import { type Random, seeded } from './random.ts';
import type { Operation, Schedule } from './schedule.ts';
import type { VirtualTime } from './time.ts';

const accountId = 'acct_01hzy3v7qke0m8a4b6c8d0f2g4';

export type Answer =
  | { kind: 'answered'; result: SendResult | CheckResult | { kind: string } }
  /** The API would say 503: the call may have been done. */
  | { kind: 'failed'; error: unknown }
  /** The process died, or the client gave up. */
  | { kind: 'lost' };

/** One try of an operation. */
export interface Call {
  operation: Operation;
  process: string;
  key: string | null;
  /** The phone's entry whose code was typed; null for a wrong code. */
  typed: OnPhone | null;
  sessionId: string | null;
  askedAt: number;
  answeredAt: number | null;
  answer: Answer | null;
}

export interface ClientsOptions {
  time: VirtualTime;
  schedule: Schedule;
  operators: Operators;
  /** Processes that take calls. */
  processes(): SimulatedProcess[];
  onAnswer(call: Call): void;
}

const patienceMs = 6_000;

export class Clients {
  readonly #options: ClientsOptions;
  readonly calls: Call[] = [];
  /** Sessions that clients know of, by number. */
  readonly #known = new Map<string, string>();
  #busy = 0;
  readonly #unanswered = new Map<string, Set<() => void>>();

  constructor(options: ClientsOptions) {
    this.#options = options;
  }

  /** Operations that are not over. */
  get busy(): number {
    return this.#busy;
  }

  start(): void {
    const { time, schedule } = this.#options;
    for (const operation of schedule.operations) {
      this.#busy += 1;
      time.after(operation.at, null, () => this.#run(operation));
    }
  }

  /** The process is gone: its clients see their connections close. */
  died(processId: string): void {
    for (const lost of [...this.#unansweredBy(processId)]) this.#options.time.after(1, null, lost);
  }

  #unansweredBy(processId: string): Set<() => void> {
    const known = this.#unanswered.get(processId) ?? new Set();
    this.#unanswered.set(processId, known);
    return known;
  }

  #run(operation: Operation): void {
    const random = seeded(this.#options.schedule.luck, `operation ${operation.id}`);
    const typed = operation.kind === 'check' ? this.#codeOf(operation) : null;
    let left = operation.copies;
    const over = () => {
      left -= 1;
      if (left === 0) this.#busy -= 1;
    };
    const sessionId = this.#known.get(operation.to) ?? null;
    for (let n = 0; n < operation.copies; n += 1)
      this.#try(operation, { typed, sessionId }, operation.retries, random, over);
  }

  #codeOf({ code, to }: Operation): OnPhone | null {
    const phone = this.#options.operators.phones.get(to) ?? [];
    if (code === 'wrong') return null;
    return (code === 'older' ? phone.at(-2) : phone.at(-1)) ?? null;
  }

  #try(
    operation: Operation,
    about: { typed: OnPhone | null; sessionId: string | null },
    retries: number,
    random: Random,
    over: () => void,
  ): void {
    const { time } = this.#options;
    const running = this.#options.processes();
    const process = running.length > 0 ? random.pick(running) : null;
    const key = operation.keyed && operation.kind !== 'cancel' ? `key-${operation.id}` : null;
    const call: Call = {
      operation,
      process: process?.id ?? 'nobody',
      key,
      ...about,
      askedAt: time.now,
      answeredAt: null,
      answer: null,
    };
    this.calls.push(call);
    let isOver = false;
    const settle = (answer: Answer) => {
      if (isOver) return;
      isOver = true;
      if (process) this.#unansweredBy(process.id).delete(lost);
      call.answer = answer;
      call.answeredAt = time.now;
      this.#learn(call);
      this.#options.onAnswer(call);
      if (answer.kind === 'answered' || retries === 0) over();
      else time.after(random.between(50, 1_000), null, () => this.#try(operation, about, retries - 1, random, over));
    };
    const lost = () => settle({ kind: 'lost' });
    if (!process) {
      time.after(1, null, lost);
      return;
    }
    this.#unansweredBy(process.id).add(lost);
    time.after(patienceMs, null, lost);
    time.after(random.next() * 2, process.host, () => {
      // What a dying process had written before it died arrives.
      const back = (answer: Answer) => time.after(random.next() * 2, null, () => settle(answer));
      this.#ask(process, call).then(
        (result) => back({ kind: 'answered', result }),
        (error: unknown) => back({ kind: 'failed', error }),
      );
    });
  }

  #learn({ operation, answer }: Call): void {
    if (operation.kind !== 'send' || answer?.kind !== 'answered') return;
    const result = answer.result as SendResult;
    if (result.kind === 'sent') this.#known.set(operation.to, result.session.id);
    if (result.kind === 'replayed') this.#known.set(operation.to, (result.answer as { id: string }).id);
  }

  #ask({ face }: SimulatedProcess, call: Call): Promise<SendResult | CheckResult | { kind: string }> {
    const { operation, key, typed, sessionId } = call;
    const { to } = operation;
    const keyed = (route: string, request: string) => (key === null ? null : { route, key, request });
    switch (operation.kind) {
      case 'send':
        return face.send({ ...plainSend, to, idempotency: keyed('send', to) });
      case 'check': {
        const code = typed?.code ?? wrongCode(operation.id);
        const target =
          operation.byId && sessionId !== null ? { id: typed?.sessionId ?? sessionId } : { to, purpose: '' };
        return face.check({ accountId, mode: 'live', target, code, idempotency: keyed('check', `${to} ${code}`) });
      }
      case 'cancel':
        if (sessionId === null) return Promise.resolve({ kind: 'not_found' });
        return face.cancel({ accountId, mode: 'live', id: sessionId });
    }
  }
}

/** Everything else is the account's. */
const plainSend: Omit<SendRequest, 'to' | 'idempotency'> = {
  accountId,
  mode: 'live',
  purpose: '',
  language: null,
  codeLength: 10,
  code: null,
  ttlSeconds: null,
  senderId: null,
  clientReference: '',
  metadata: null,
  autofill: {},
  channel: null,
  cascade: [],
};

const wrongCodes: string[] = [];
/** Ten digits: never the right ones. */
function wrongCode(id: number): string {
  wrongCodes[id] ??= String(createHash('sha256').update(`wrong ${id}`).digest().readUInt32BE(0)).padStart(10, '9');
  return wrongCodes[id];
}
