// Questions between processes over the peer port: a verb and a plain value go out, and a plain value comes back. Each room serves the verbs
// that are its own, and checks what it is given. No caller depends on an answer: `direct` means that it does the work itself.

import type { Asked, AskOptions, DirectReason } from '../../peers/asked.ts';

/** Sees every question of this process, once it is answered or not. */
export type ConversationObserver = (verb: string, result: 'answered' | DirectReason, seconds: number) => void;

export type Said = { kind: 'answered'; value: unknown } | { kind: 'direct'; why: DirectReason };

interface Port {
  ask(processId: string, body: string, options?: AskOptions): Promise<Asked>;
  /** Ids of processes that a question would reach now. */
  readonly reachable: readonly string[];
}

type Run = (value: unknown) => Promise<unknown>;

export class Conversation {
  readonly #observe: ConversationObserver;
  readonly #verbs = new Map<string, Run>();
  #port: Port | null = null;

  constructor(observe: ConversationObserver = () => {}) {
    this.#observe = observe;
  }

  /** Questions go out by this port. Without one every answer is `direct`. */
  connect(port: Port): void {
    this.#port = port;
  }

  /** Ids of processes that a question would reach now; none without a port. */
  get reachable(): readonly string[] {
    return this.#port?.reachable ?? [];
  }

  /** Answers the verb. `run` is given what another process said, and throws where that is not what it should be. */
  serve(verb: string, run: Run): void {
    this.#verbs.set(verb, run);
  }

  async ask(processId: string, verb: string, value: unknown, options?: AskOptions): Promise<Said> {
    if (!this.#port) return { kind: 'direct', why: 'no_peer' };
    const startedAt = performance.now();
    const asked = await this.#port.ask(processId, JSON.stringify([verb, value]), options);
    const seconds = (performance.now() - startedAt) / 1000;
    this.#observe(verb, asked.kind === 'answered' ? 'answered' : asked.why, seconds);
    if (asked.kind === 'direct') return asked;
    try {
      return { kind: 'answered', value: JSON.parse(asked.body) };
    } catch {
      return { kind: 'direct', why: 'failed' };
    }
  }

  /**
   * Does the work of a question that came by the port, and returns its answer.
   * @throws where the question can't be read, or its work fails: the process that asked does it then.
   */
  async work(body: string): Promise<string> {
    const said: unknown = JSON.parse(body);
    const [verb, value] = Array.isArray(said) ? said : [];
    const run = this.#verbs.get(verb);
    if (!run) throw new Error('a peer asked for what this process does not do');
    return JSON.stringify((await run(value)) ?? null);
  }
}
