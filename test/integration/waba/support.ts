// Processes that link accounts, on one database, against the sandbox's platform; their clock can be put forward. Belongs at
// the top of a test file.
import { randomBytes } from 'node:crypto';
import { fromJson } from '@bufbuild/protobuf';
import { afterAll, afterEach } from 'vitest';
import { GraphClient } from '../../../src/channels/whatsapp/graph.ts';
import { linking } from '../../../src/channels/whatsapp/linking.ts';
import { type KeyRing, newKeyRing, parseKeyRing } from '../../../src/core/secrets/key-ring.ts';
import type { WabaPlatform } from '../../../src/core/waba/platform.ts';
import { insertAccount } from '../../../src/db/accounts/accounts.ts';
import { ensurePartitions } from '../../../src/db/partitions.ts';
import type { Db, Schema, WabaRow } from '../../../src/db/schema.ts';
import { findWaba } from '../../../src/db/waba/links.ts';
import { type Begun, Waba } from '../../../src/engine/waba/waba.ts';
import { WabaEventSchema } from '../../../src/gen/ramz/v1/webhook_pb.ts';
import { tester } from '../../support/actor.ts';
import { testDatabase } from '../../support/database.ts';
import { ids } from '../../support/engine.ts';
import { testSandbox } from '../../support/sandbox.ts';
import { until } from '../../support/wait.ts';

export function ringOf(json: string): KeyRing {
  const parsed = parseKeyRing(json);
  if (parsed.kind === 'invalid') throw new Error(parsed.errors.join('; '));
  return parsed.ring;
}

export async function linkingProcesses() {
  const database = await testDatabase<Schema>();
  const { db } = database;
  await ensurePartitions(db as never, Date.now(), 30);
  const sandbox = await testSandbox({ deliverDelayMs: 2 });
  const { platform, messagingIdentity: identity } = sandbox;
  const ringJson = newKeyRing((size) => randomBytes(size));
  const client = new GraphClient({ connections: 4 });
  afterAll(() => client.close());
  afterEach(() => platform.reset());
  let ahead = 0;
  const now = () => Date.now() + ahead;
  const graph = linking({
    client,
    graphUrl: `${sandbox.httpUrl}/graph/${identity.version}`,
    app: { id: identity.appId, secret: identity.appSecret },
    template: { name: identity.templateName, languages: { ar: 'ar', fr: 'fr', en: 'en' } },
    expiryMinutes: 10,
    deliverWithinSeconds: 30,
  });
  let numbersMade = 0;

  /** `asked`: stands before the platform, e.g. to hang as a process does that is killed. */
  function start(options: { asked?: WabaPlatform; ring?: KeyRing; db?: Db } = {}) {
    const { asked = graph, ring = ringOf(ringJson), db = database.db } = options;
    const errors: unknown[] = [];
    const changed: string[] = [];
    const manager = new Waba({
      db,
      ring,
      ids,
      now,
      outagePausesMs: Array(9).fill(0),
      log: { error: (fields) => errors.push((fields as { err: unknown }).err) },
      settings: { platform: asked, hasSignup: true, platformNumber: identity.phoneNumberId },
      observer: { linkChanged() {}, numbersChanged: (phoneNumberIds) => changed.push(...phoneNumberIds) },
    });
    const { numbers, linker } = manager;
    return {
      numbers,
      linker,
      manager,
      errors,
      changed,
      /** What is due by now, to the end: a sweep takes a few at once. */
      async run(): Promise<void> {
        for (let sweeps = 0; sweeps < 5; sweeps += 1) {
          await linker.sweep();
          await linker.idle();
        }
      },
    };
  }
  type Process = ReturnType<typeof start>;

  const row = async (accountId: string): Promise<WabaRow> => {
    const found = await findWaba(db, accountId);
    if (!found) throw new Error(`no link of ${accountId}`);
    return found;
  };

  return {
    db,
    sandbox,
    platform,
    identity,
    graph,
    ringJson,
    start,
    row,
    now,
    /** Time passes for the processes; the platform's clock stays. */
    pass: (ms: number) => {
      ahead += ms;
    },
    /** An account with an endpoint that wants to hear of links. */
    async account(): Promise<string> {
      const id = ids('acct_');
      await db.transaction().execute(async (tx) => {
        await insertAccount(tx, { id, name: 'Example', createdAt: new Date(), language: 'fr' });
      });
      await database.lanes.query(
        `insert into webhook_endpoint (id, account_id, mode, url, description, event_types, secret, created_at, updated_at)
         values ($1, $2, 'live', 'https://shop.example/', '', '{}', 'sealed', now(), now())`,
        [ids('whe_'), id],
      );
      return id;
    },
    /** What the account's endpoint is told, in order. */
    async told(accountId: string): Promise<[type: string, reason: string][]> {
      const text = 'select type, body from webhook_delivery where account_id = $1 order by event_id';
      const { rows } = await database.lanes.query<{ type: string; body: string }>(text, [accountId]);
      // As the contract declares it: unknown fields do not pass.
      return rows.map(({ type, body }) => [type, fromJson(WabaEventSchema, JSON.parse(body).data).reason]);
    },
    /** What a business's browser ends a signup with. */
    async signup(number?: string): Promise<{ code: string; wabaId: string; phoneNumberId: string; number: string }> {
      numbersMade += 1;
      const given = number ?? `+2135500077${String(numbersMade).padStart(2, '0')}`;
      const dialog = `${sandbox.httpUrl}/graph/${identity.version}/dialog/oauth`;
      const body = JSON.stringify({ business: 'Example Shop', number: given });
      const answer = (await (await fetch(dialog, { method: 'POST', body })).json()) as {
        code: string;
        data: { waba_id: string; phone_number_id: string };
      };
      const { waba_id: wabaId, phone_number_id: phoneNumberId } = answer.data;
      return { code: answer.code, wabaId, phoneNumberId, number: given };
    },
    /** Begins a link by a signup. */
    async begin(
      { manager }: Process,
      accountId: string,
      ended: { code: string; wabaId: string; phoneNumberId: string },
      pin: string | null = null,
    ): Promise<Begun> {
      const made = await manager.createSignup(accountId, tester);
      if (made.kind !== 'created') throw new Error(made.kind);
      const { code, wabaId, phoneNumberId } = ended;
      return manager.begin({
        wabaId,
        phoneNumberId,
        pin,
        actor: tester,
        by: { kind: 'code', code, state: made.state, redirectUri: null },
      });
    },
    /** Runs what is due, and puts the clock forward to what is next, until the link has settled. */
    async settle(process: Process, accountId: string): Promise<WabaRow> {
      await process.linker.idle();
      return until(
        async () => {
          const { status, next_at } = await row(accountId);
          if (status !== 'connecting') return row(accountId);
          if (next_at && next_at.getTime() > now()) ahead += next_at.getTime() - now();
          await process.run();
          return null;
        },
        { what: 'the link to settle', everyMs: 50 },
      );
    },
  };
}
