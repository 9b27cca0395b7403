// The services about accounts behind the waist, on a real database: one `process` of a test. Several of them share a database
// as several processes would: each with connections, caches and a clock of its own.

import { randomBytes } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { create, type DescMethodUnary, type MessageInitShape, type MessageShape } from '@bufbuild/protobuf';
import { ConnectError } from '@connectrpc/connect';
import { type AuthenticatorOptions, createAuthenticator } from '../../../src/api/auth/authenticator.ts';
import { accountService } from '../../../src/api/handlers/accounts/accounts.ts';
import { adminService } from '../../../src/api/handlers/accounts/admin.ts';
import { apiKeyService } from '../../../src/api/handlers/accounts/api-keys.ts';
import { auditService } from '../../../src/api/handlers/accounts/audit.ts';
import type { ControlOptions } from '../../../src/api/handlers/accounts/control.ts';
import { limitListService } from '../../../src/api/handlers/accounts/lists.ts';
import { senderIdService } from '../../../src/api/handlers/accounts/senders.ts';
import { limitsService } from '../../../src/api/handlers/limits/limits.ts';
import { webhookEndpointService } from '../../../src/api/handlers/webhooks/endpoints.ts';
import { type ErrorCode, type Fault, faultOf } from '../../../src/api/waist/errors.ts';
import { createWaist } from '../../../src/api/waist/invoke.ts';
import { loadConfig } from '../../../src/config.ts';
import { defaultKeyPrefixes, tokenHash } from '../../../src/core/accounts/api-key.ts';
import { oneCell } from '../../../src/core/fleet/cells.ts';
import { newKeyRing, parseKeyRing } from '../../../src/core/secrets/key-ring.ts';
import { defaultRules } from '../../../src/core/verify/rules.ts';
import type { Database } from '../../../src/db/client.ts';
import { ensurePartitions } from '../../../src/db/partitions.ts';
import { withSchema } from '../../../src/db/schema.ts';
import { Accounts } from '../../../src/engine/accounts/accounts.ts';
import type { AccountsLog } from '../../../src/engine/accounts/context.ts';
import { Erasure } from '../../../src/engine/erasure/erasure.ts';
import { AccountExport } from '../../../src/engine/erasure/export.ts';
import { Stops } from '../../../src/engine/limits/stops.ts';
import { Webhooks } from '../../../src/engine/webhooks/webhooks.ts';
import { AccountService } from '../../../src/gen/ramz/v1/account_pb.ts';
import { tester } from '../../support/actor.ts';
import { agingIds } from '../../support/aging-ids.ts';
import { silent } from './silent.ts';

export const adminToken = 'admin-token-of-a-test';
const operators = ['atlas', 'borealis'];

const keyRingJson = newKeyRing((size) => randomBytes(size));
const parsed = parseKeyRing(keyRingJson);
if (parsed.kind === 'invalid') throw new Error(parsed.errors.join());
export const { ring } = parsed;

const loaded = loadConfig({ env: { RAMZ_KEYS: keyRingJson }, readFile: () => '' });
if (loaded.kind === 'invalid') throw new Error(JSON.stringify(loaded.errors));
const { config } = loaded;

export interface ProcessOptions extends Partial<Pick<AuthenticatorOptions, 'mostHeld' | 'maxAgeMs'>> {
  openRegistration?: boolean;
  hasAdminToken?: boolean;
  mostKeys?: number;
  mostWaiting?: number;
  log?: AccountsLog;
  mostNames?: number;
  /** In place of atlas and borealis. */
  operators?: readonly string[];
  mostEndpoints?: number;
  allowPrivate?: boolean;
  /** Of the one cell; default: the database. */
  cell?: () => ControlOptions['db'];
}

export async function startProcess(database: Database<unknown>, options: ProcessOptions = {}) {
  await ensurePartitions(database.db, Date.now(), 30);
  const db = withSchema(database.db);
  let ahead = 0;
  const now = () => Date.now() + ahead;
  // What is made later stands first in a list.
  const ids = agingIds(now);
  const prefixes = defaultKeyPrefixes;
  const authenticator = createAuthenticator({
    db,
    ring,
    prefixes,
    now,
    adminTokenHash: tokenHash(adminToken),
    ...options,
  });
  /** Accounts whose caches were cleared; undefined = everything was. */
  const cleared: (string | undefined)[] = [];
  const caches = {
    clear(accountId?: string) {
      cleared.push(accountId);
      authenticator.clear(accountId);
    },
  };
  const { log, ...chosen } = options;
  const context = { db, ids, ring, prefixes, now, settings: { operators, ...chosen }, ...(log ? { log } : {}) };
  const accounts = new Accounts({ ...context, caches });
  const stops = new Stops({ db, ids, now, caches });
  const { allowPrivate = false } = options;
  const webhooks = new Webhooks({
    db,
    lanes: database.lanes,
    ids,
    ring,
    now,
    log: silent,
    caches,
    allowPrivate,
    mostEndpoints: options.mostEndpoints ?? 20,
    fleet: { holder: 'process/test', keptSince: () => true, mayTakeOver: true, alive: 1, events: new EventEmitter() },
  });
  const dbs = { home: database.plain, cells: [database.plain] };
  const exports = new AccountExport(dbs, now, { ring, settings: { rules: defaultRules } });
  const waist = createWaist({
    authenticator,
    logger: silent,
    openRegistration: options.openRegistration ?? false,
    services: [
      adminService({
        accounts,
        db,
        cells: { map: oneCell, of: options.cell ?? (() => db) },
        caches,
        stops,
        erasure: new Erasure(dbs, now, ring),
        exports,
        now,
      }),
      auditService(db),
      accountService({ accounts, settings: () => config, channels: () => [] }),
      apiKeyService({ keys: accounts.keys, now }),
      senderIdService({ senders: accounts.senders }),
      limitListService({ lists: accounts.lists }),
      // Its lists alone: budgets and dry runs need an engine.
      limitsService({ stops, now, limits: {} as never, dryRuns: {} as never }),
      webhookEndpointService(webhooks),
    ],
  });

  /** `token` is what stands after Bearer; empty = no header. */
  async function call<I extends DescMethodUnary>(
    token: string,
    method: I,
    input: MessageInitShape<I['input']> = {} as MessageInitShape<I['input']>,
  ): Promise<MessageShape<I['output']>> {
    const header = new Headers(token === '' ? {} : { authorization: `Bearer ${token}` });
    const origin = waist.newOrigin('connect', '127.0.0.1', undefined);
    const message = create(method.input, input);
    const answer = await waist.invokeUnary(method, message, { origin, header });
    return answer.message as MessageShape<I['output']>;
  }

  /** What a call that must fail was answered. */
  async function refused<I extends DescMethodUnary>(
    token: string,
    method: I,
    input?: MessageInitShape<I['input']>,
  ): Promise<Pick<Fault, 'field'> & { code: ErrorCode }> {
    try {
      await call(token, method, input);
    } catch (error) {
      if (!(error instanceof ConnectError)) throw error;
      const { code, field } = faultOf(error);
      return { code, field };
    }
    throw new Error(`${method.name} was answered`);
  }

  async function newAccount(name = 'My Shop') {
    const made = await call(adminToken, AccountService.method.createAccount, { name });
    const { account, liveKey, testKey } = made;
    if (!account || !liveKey || !testKey) throw new Error('no account');
    return { id: account.id, live: liveKey.key, test: testKey.key, liveId: liveKey.id, testId: testKey.id };
  }

  return {
    authenticator,
    cleared,
    call,
    refused,
    newAccount,
    db,
    ids,
    context,
    accounts,
    /** Of the operator's command line: a process of its own, which clears no cache of this one. */
    tools: {
      ...context,
      exports,
      cells: { map: oneCell, of: () => context.db },
      requireOthers: async () => {},
      accounts: new Accounts(context),
      stops: new Stops(context),
      sendLimits: { platformPerNumberPerHour: 30, platformPerNumberPerDay: 90 },
      actor: tester,
      requireRing: async () => {},
    },
    webhooks,
    /** Lets time pass for this process alone. */
    pass: (ms: number) => {
      ahead += ms;
    },
    now,
  };
}
