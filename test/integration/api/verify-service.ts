// VerifyService behind the waist, on a real database, several times over where a test plays several processes.
import {
  create,
  type DescMessage,
  type DescMethodServerStreaming,
  type DescMethodUnary,
  type MessageInitShape,
  type MessageShape,
} from '@bufbuild/protobuf';
import { ConnectError } from '@connectrpc/connect';
import { storedAnswers, verifyService } from '../../../src/api/handlers/verify/service.ts';
import { faultOf } from '../../../src/api/waist/errors.ts';
import { createWaist, service } from '../../../src/api/waist/invoke.ts';
import type { KeyRing } from '../../../src/core/secrets/key-ring.ts';
import type { SendSettings } from '../../../src/core/verify/request.ts';
import { defaultRules, type Rules } from '../../../src/core/verify/rules.ts';
import type { Database } from '../../../src/db/client.ts';
import type { AccountView, AccountViews } from '../../../src/engine/accounts/views.ts';
import type { EngineSettings } from '../../../src/engine/context.ts';
import type { EngineOptions } from '../../../src/engine/engine.ts';
import { VerifyService } from '../../../src/gen/ramz/v1/verify_pb.ts';
import { type CheckFields, checkOf } from '../../support/checks.ts';
import { ids, ScriptedChannel, testEngine } from '../../support/engine.ts';

const methods = VerifyService.method;
export interface Caller {
  accountId: string;
  mode: 'live' | 'test';
}
export const newCaller = (mode: Caller['mode'] = 'live'): Caller => ({ accountId: ids('acct_'), mode });

let lastNumber = 550_000_100 + Math.floor(Math.random() * 1000) * 1000;
/** A number nobody else uses: limits and locks are per number. */
export const newNumber = (): string => `+213${++lastNumber}`;

export interface ProcessOptions {
  sms?: ScriptedChannel | null;
  rules?: Partial<Rules>;
  account?: Partial<AccountView>;
  settings?: Partial<SendSettings>;
  sendLimits?: Partial<EngineSettings['sendLimits']>;
  clientLimits?: EngineSettings['clientLimits'];
  accounts?: AccountViews;
  ring?: KeyRing;
  observe?: EngineOptions['observe'];
  maxWatched?: number;
  watchesPerAccount?: number;
}

export type TestProcess = Awaited<ReturnType<typeof startProcess>>;

/** One process. `sms: null` = no channel at all. */
export async function startProcess(database: Database<unknown>, options: ProcessOptions = {}) {
  const sms = options.sms === undefined ? new ScriptedChannel() : options.sms;
  const rules = { ...defaultRules, ...options.rules };
  const account = options.account ?? {};
  const { engine, settings, errors, channels } = await testEngine(database, {
    rules,
    account,
    sendLimits: options.sendLimits ?? {},
    clientLimits: options.clientLimits ?? {},
    ...(options.accounts ? { accounts: options.accounts } : {}),
    ...(options.ring ? { ring: options.ring } : {}),
    observe: options.observe ?? {},
    settings: { scenarioPrefix: '+21355', ...options.settings },
    answers: storedAnswers({ rules }),
    ...(sms ? { sms } : {}),
  });
  // Test keys send over the same scripted channel: what is looked at here is who sees what.
  if (sms) channels.setTest(sms);
  const waist = createWaist({
    services: [
      service(
        VerifyService,
        verifyService({
          engine,
          settings,
          now: Date.now,
          watchesPerAccount: () => options.watchesPerAccount ?? 100,
          ...(options.maxWatched === undefined ? {} : { maxWatched: options.maxWatched }),
        }),
      ),
    ],
    authenticator: {
      authenticate: (token) => ({ kind: 'ok', principal: principalOf(token) }),
      administrator: () => ({ kind: 'unknown' }),
    },
    logger: { debug() {}, info() {}, warn() {}, error: (fields) => void errors.push(fields) },
  });

  async function unary<I extends DescMessage, O extends DescMessage>(
    method: DescMethodUnary<I, O>,
    caller: Caller,
    input: MessageInitShape<I>,
    idempotencyKey?: string,
  ): Promise<MessageShape<O>> {
    const { message } = await waist.invokeUnary(method, create(method.input, input), {
      origin: waist.newOrigin('rest', '127.0.0.1', undefined),
      header: headers(caller, idempotencyKey),
    });
    return message as MessageShape<O>;
  }
  function stream<I extends DescMessage, O extends DescMessage>(
    method: DescMethodServerStreaming<I, O>,
    caller: Caller,
    input: MessageInitShape<I>,
    signal: AbortSignal,
  ): AsyncIterable<MessageShape<O>> {
    const origin = waist.newOrigin('grpc', '127.0.0.1', undefined);
    const answer = waist.invokeStream(method, create(method.input, input), { origin, header: headers(caller), signal });
    return answer.messages as AsyncIterable<MessageShape<O>>;
  }

  type Input<M extends keyof typeof methods> = MessageInitShape<(typeof methods)[M]['input']>;
  return {
    engine,
    errors,
    waist,
    sms,
    /** The code as it went out; empty while none of the session's messages has. */
    codeOf: (id: string): string => sms?.sent.find((message) => message.sessionId === id)?.code ?? '',
    send: (caller: Caller, input: Input<'send'>, key?: string) => unary(methods.send, caller, input, key),
    check: (caller: Caller, fields: CheckFields, key?: string) => unary(methods.check, caller, checkOf(fields), key),
    get: async (caller: Caller, id: string) => (await unary(methods.getSession, caller, { id })).session!,
    list: (caller: Caller, input: Input<'listSessions'> = {}) => unary(methods.listSessions, caller, input),
    cancel: async (caller: Caller, id: string) => (await unary(methods.cancelSession, caller, { id })).session!,
    report: async (caller: Caller, id: string, outcome: string) =>
      (await unary(methods.reportSession, caller, { id, outcome })).session!,
    watch: (caller: Caller, id: string, signal: AbortSignal, lastEventId = '') =>
      stream(methods.watchSession, caller, { id, lastEventId }, signal),
  };
}

const headers = ({ accountId, mode }: Caller, idempotencyKey?: string): Headers =>
  new Headers({
    authorization: `Bearer ${mode}.${accountId}`,
    ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
  });

function principalOf(token: string) {
  const [mode, accountId = ''] = token.split('.');
  const scopes = ['verify', 'read', 'manage', 'numbers', 'custom_code'] as const;
  const key = { keyId: 'key_1', name: 'one', scopes, expiresAt: null };
  return { kind: 'key' as const, accountId, mode: mode as Caller['mode'], ...key };
}

/** What a refused call said, with when to try again. */
export async function refusalOf(call: Promise<unknown>) {
  const error = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof ConnectError)) throw new Error('the call was not refused', { cause: error });
  const { code, field, message, metadata, httpStatus } = faultOf(error);
  return { code, field, message, metadata, httpStatus, retryAfter: Number(error.metadata.get('retry-after') ?? 0) };
}
