// Idempotency-Key at the handlers: the key and the request are handed to the engine, which answers the same again; and calls with the
// same key wait for the first one.

import {
  type DescMessage,
  fromJson,
  type JsonObject,
  type JsonValue,
  type MessageShape,
  toJson,
} from '@bufbuild/protobuf';
import type { ConnectError, HandlerContext } from '@connectrpc/connect';
import type { Answers, EngineSettings, Keyed, Replay } from '../../../engine/engine.ts';
import { CheckResponseSchema, SendResponseSchema } from '../../../gen/ramz/v1/verify_pb.ts';
import { idempotencyKeyOf, keyOf } from '../../waist/context.ts';
import { fail } from '../../waist/errors.ts';
import { methodName } from '../../waist/method-options.ts';
import { toCheckResponse, toSendResponse } from './to-proto.ts';

/** The outcome of one try. */
export type Tried<Answer> = { kind: 'answered'; answer: Answer } | { kind: 'failed'; error: ConnectError } | Replay;

export class Once {
  readonly #turns = new Turns();

  /** Runs `work` under the call's key, or as it is where the call has none. `work` hands `idempotency` to the engine. */
  async run<O extends DescMessage>(
    context: HandlerContext,
    request: MessageShape<DescMessage>,
    output: O,
    work: (idempotency: Keyed | null) => Promise<Tried<MessageShape<O>>>,
  ): Promise<MessageShape<O>> {
    const key = idempotencyKeyOf(context);
    if (key === undefined) return answerOf(output, await work(null));
    const { accountId, mode } = keyOf(context);
    const route = methodName(context.method);
    const keyed: Keyed = { route, key, request: textOf(context.method.input, request) };
    return this.#turns.take(JSON.stringify([accountId, mode, route, key]), async () => {
      if (context.signal.aborted) throw fail('canceled', 'the caller has gone');
      const tried = await work(keyed);
      if (tried.kind === 'replayed') context.responseHeader.set('idempotent-replayed', 'true');
      return answerOf(output, tried);
    });
  }
}

/** The fields in the order of their numbers, a map's entries in that of their keys: the same request is the same text, whatever the door. */
function textOf(desc: DescMessage, request: MessageShape<DescMessage>): string {
  const json = toJson(desc, request) as JsonObject;
  for (const { fieldKind, jsonName } of desc.fields) {
    const entries = fieldKind === 'map' ? json[jsonName] : undefined;
    if (entries) json[jsonName] = Object.fromEntries(Object.entries(entries as JsonObject).sort(byKey));
  }
  return JSON.stringify(json);
}

const byKey = ([one]: [string, unknown], [other]: [string, unknown]): number => (one < other ? -1 : 1);

function answerOf<O extends DescMessage>(output: O, tried: Tried<MessageShape<O>>): MessageShape<O> {
  switch (tried.kind) {
    case 'answered':
      return tried.answer;
    case 'failed':
      throw tried.error;
    case 'idempotency_conflict':
      throw fail('idempotency_key_reused', 'this Idempotency-Key was used before with another request');
    case 'replayed':
      // A newer version of the service may have stored fields this one does not know.
      return fromJson(output, tried.answer as JsonValue, { ignoreUnknownFields: true });
  }
}

/** Answers as they are stored with their keys: as a caller of REST would see them, at the time of the send. */
export const storedAnswers = (settings: Pick<EngineSettings, 'rules'>): Answers => ({
  sent: (session) => toJson(SendResponseSchema, toSendResponse(session, settings.rules, session.lastSendAt)),
  checked: (checked, session) => toJson(CheckResponseSchema, toCheckResponse(checked, session)),
});

/** One at a time for each key, in the order they came. */
export class Turns {
  readonly #last = new Map<string, Promise<void>>();

  /** Keys that a call has or waits for. */
  get size(): number {
    return this.#last.size;
  }

  /** Runs `work` when every call before it has ended, with or without an error. */
  async take<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key) ?? Promise.resolve();
    const { promise: done, resolve: finish } = Promise.withResolvers<void>();
    this.#last.set(key, done);
    await before;
    try {
      return await work();
    } finally {
      if (this.#last.get(key) === done) this.#last.delete(key);
      finish();
    }
  }
}
