// Idempotency-Key at the handlers: the same key and request get the same answer. The engine stores an answer in the statement
// that stores its effect; what is here makes sure that it is also found.

import {
  type DescMessage,
  fromJson,
  type JsonValue,
  type MessageShape,
  toJson,
  toJsonString,
} from '@bufbuild/protobuf';
import type { ConnectError, HandlerContext } from '@connectrpc/connect';
import type { Idempotency, Replay } from '../../../engine/sessions/idempotency.ts';
import type { Store } from '../../../engine/sessions/store.ts';
import { idempotencyKeyOf, keyOf } from '../../waist/context.ts';
import { fail } from '../../waist/errors.ts';
import { methodName } from '../../waist/method-options.ts';
import type { RequestHasher } from './request-hash.ts';
import { Turns } from './turns.ts';

/** What became of one try. */
export type Tried<Answer> =
  | { kind: 'answered'; answer: Answer }
  /** Answered, but nothing was changed, and so no answer was stored. */
  | { kind: 'unchanged'; answer: Answer }
  | { kind: 'failed'; error: ConnectError }
  | Replay;

export interface OnceOptions {
  store: Pick<Store, 'storedAnswer'>;
  hasher: RequestHasher;
}

export class Once {
  readonly #options: OnceOptions;
  readonly #turns = new Turns();

  constructor(options: OnceOptions) {
    this.#options = options;
  }

  /** Runs `work` under the call's key, or as it is where the call has none. `work` hands `idempotency` to the engine. */
  async run<O extends DescMessage>(
    context: HandlerContext,
    request: MessageShape<DescMessage>,
    output: O,
    work: (idempotency: Idempotency | null) => Promise<Tried<MessageShape<O>>>,
  ): Promise<MessageShape<O>> {
    const key = idempotencyKeyOf(context);
    if (key === undefined) return answerOf(await work(null));
    const { accountId, mode } = keyOf(context);
    const route = methodName(context.method);
    // The fields in the order of their numbers, whatever the door: the same request is the same text.
    const canonical = toJsonString(context.method.input, request);
    const idempotency: Idempotency = { route, key, hash: this.#options.hasher.hash(canonical) };
    return this.#turns.take(JSON.stringify([accountId, mode, route, key]), async () => {
      if (context.signal.aborted) throw fail('canceled', 'the caller has gone');
      const tried = await work(idempotency);
      if (tried.kind === 'answered') return tried.answer;
      if (tried.kind === 'replayed') return fromStored(output, tried.answer);
      return (await this.#earlier(context, idempotency, canonical, output)) ?? answerOf(tried);
    });
  }

  /**
   * The answer of a call with this key that has committed since the engine looked, on another process: what this one
   * met (a resend too soon, a code already used) is that call's own doing. Also finds what was hashed with an older key.
   */
  async #earlier<O extends DescMessage>(
    context: HandlerContext,
    { route, key }: Idempotency,
    canonical: string,
    output: O,
  ): Promise<MessageShape<O> | null> {
    const { accountId, mode } = keyOf(context);
    const stored = await this.#options.store.storedAnswer(accountId, mode, route, key);
    if (!stored) return null;
    if (!this.#options.hasher.matches(stored.hash, canonical)) throw reused();
    return fromStored(output, stored.answer);
  }
}

/** An answer as it is stored with its key. */
export const toStored = <O extends DescMessage>(output: O, answer: MessageShape<O>): JsonValue =>
  toJson(output, answer);

/** A newer version of the service may have stored fields this one does not know. */
const fromStored = <O extends DescMessage>(output: O, stored: unknown): MessageShape<O> =>
  fromJson(output, stored as JsonValue, { ignoreUnknownFields: true });

const reused = (): ConnectError =>
  fail('idempotency_key_reused', 'this Idempotency-Key was used before with another request');

function answerOf<Answer>(tried: Tried<Answer>): Answer {
  switch (tried.kind) {
    case 'answered':
    case 'unchanged':
      return tried.answer;
    case 'failed':
      throw tried.error;
    case 'idempotency_conflict':
      throw reused();
    case 'replayed':
      throw new Error('a replay without a key');
  }
}
