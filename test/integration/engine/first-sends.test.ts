// The dates of first sends: projected from what is committed, by several processes, whatever becomes of the one that committed it.
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import type { Queryable } from '../../../src/db/queryable.ts';
import { firstSends } from '../../../src/engine/reports/first-sends.ts';
import { Projector } from '../../../src/engine/reports/projector.ts';
import { testDatabase } from '../../support/database.ts';
import { ids, ScriptedChannel, sendRequest, testEngine } from '../../support/engine.ts';
import { until } from '../../support/wait.ts';

const database = await testDatabase();
const lanes: Queryable = database.lanes;

/** A process with a projector that runs only when the test runs it. */
async function testProcess({ sms = new ScriptedChannel(), db = lanes } = {}) {
  let now = Date.now();
  const clock = { pass: (ms: number) => (now += ms) };
  const projection = firstSends({ home: db, cell: db });
  let projector: Projector<never> | undefined;
  const { engine, fleet, channels } = await testEngine(database, {
    sms,
    reports: {
      committed: (committed) => projector?.committed(committed),
      commitUnknown: () => projector?.commitUnknown(),
    },
  });
  const lease = { processId: fleet.processId, mayTakeOver: true };
  projector = new Projector({ db, fleet: lease, now: () => now, projection }) as Projector<never>;
  await projector.begin();
  return { engine, fleet, channels, sms, projector, clock };
}

async function newAccount(change: { connectedAt?: Date } = {}): Promise<string> {
  const id = ids('acct_');
  const connectedAt = change.connectedAt ?? null;
  await sql`insert into account (id, name, created_at, custom_waba_connected_at) values (${id}, 'a', now(), ${connectedAt})`.execute(
    database.db,
  );
  if (!connectedAt) return id;
  await sql`insert into waba (account_id, version, status, waba_id, phone_number_id, created_at, updated_at)
    values (${id}, 1, 'connected', '1', ${id}, now(), now())`.execute(database.db);
  return id;
}

type Process = Awaited<ReturnType<typeof testProcess>>;

async function send({ engine }: Process, accountId: string, change: Parameters<typeof sendRequest>[0] = {}) {
  const result = await engine.starter.sendSettled(sendRequest({ accountId, ...change }));
  if (result.kind !== 'sent') throw new Error(result.kind);
  const key = { accountId, id: result.session.id };
  const accepted = async () =>
    (await engine.store.load(key))?.session.messages.find((each) => each.submittedAt) ?? null;
  const message = await until(accepted, { what: 'the message to be accepted' });
  await engine.dispatcher.idle();
  return message;
}

async function dates(accountId: string) {
  const { rows } = await sql<{ sms: Date | null; app: Date | null; messages: string[] }>`
    select sms_first_send_at as sms, w.first_send_at as app,
      array(select id from message where account_id = a.id and first_send_at = a.sms_first_send_at) as messages
    from account a left join waba w on w.account_id = a.id where a.id = ${accountId}`.execute(database.db);
  const { rows: marked } = await sql<{ id: string }>`
    select id from message where account_id = ${accountId} and first_send_at is not null`.execute(database.db);
  expect(marked.map(({ id }) => id)).toEqual(rows[0]?.messages);
  return { sms: rows[0]?.sms?.getTime() ?? null, app: rows[0]?.app?.getTime() ?? null, messages: rows[0]?.messages };
}

test('the first live SMS an operator accepted is dated once, with its account', async () => {
  const process = await testProcess();
  process.channels.setTest(new ScriptedChannel('test'));
  const accountId = await newAccount();
  await send(process, accountId, { mode: 'test' });
  await process.projector.run();
  expect(await dates(accountId)).toEqual({ sms: null, app: null, messages: [] });
  const first = await send(process, accountId);
  await process.projector.run();
  const dated = { sms: first.submittedAt, app: null, messages: [first.id] };
  expect(await dates(accountId)).toEqual(dated);
  await send(process, accountId);
  await process.projector.run();
  expect(await dates(accountId)).toEqual(dated);
});

test('of what several processes project at once one message is an account’s first', async () => {
  const processes = await Promise.all([testProcess(), testProcess(), testProcess()]);
  const accountId = await newAccount();
  await Promise.all(processes.map((process) => send(process, accountId)));
  await Promise.all(processes.map(({ projector }) => projector.run()));
  expect((await dates(accountId)).messages).toHaveLength(1);
});

test('a session of the own number counts from the link on, by its first send', async () => {
  const process = await testProcess();
  const app = new ScriptedChannel('whatsapp');
  process.channels.setLive('whatsapp', app);
  const cascade = [{ channel: 'whatsapp' as const, timeoutMs: 15_000 }];
  const late = await newAccount({ connectedAt: new Date(Date.now() + 60_000) });
  await send(process, late, { cascade, senderId: 'Shop' });
  const linked = await newAccount({ connectedAt: new Date(Date.now() - 60_000) });
  await send(process, linked, { cascade }); // From the platform's number.
  const first = await send(process, linked, { cascade, senderId: 'Shop' });
  await send(process, linked, { cascade, senderId: 'Shop' });
  await process.projector.run();
  expect(await dates(late)).toMatchObject({ app: null });
  expect(await dates(linked)).toEqual({ sms: null, app: first.submittedAt, messages: [] });
});

test('what a process committed and did not project before it died another one projects', async () => {
  const [dead, heir] = [await testProcess(), await testProcess()];
  const [one, linked] = [await newAccount(), await newAccount({ connectedAt: new Date(Date.now() - 60_000) })];
  dead.channels.setLive('whatsapp', new ScriptedChannel('whatsapp'));
  const first = await send(dead, one);
  await send(dead, one);
  const cascade = [{ channel: 'whatsapp' as const, timeoutMs: 15_000 }];
  const app = await send(dead, linked, { cascade, senderId: 'Shop' });
  heir.projector.othersGone();
  await heir.projector.run();
  expect(await dates(one)).toMatchObject({ sms: null }); // Its lease still runs.
  await dead.fleet.leave();
  heir.projector.othersGone();
  await heir.projector.run();
  expect(await dates(one)).toEqual({ sms: first.submittedAt, app: null, messages: [first.id] });
  expect(await dates(linked)).toMatchObject({ app: app.submittedAt });
});

test('the heir’s heir finds it too', async () => {
  // Dies between the two statements: it takes the mark over, and finds nothing.
  let isDying = false;
  const dying: Queryable = {
    query: (statement) =>
      isDying && statement.name.startsWith('first_sends.')
        ? Promise.reject(new Error('killed'))
        : lanes.query(statement),
  };
  const [dead, heir, last] = [await testProcess(), await testProcess({ db: dying }), await testProcess()];
  const accountId = await newAccount();
  const first = await send(dead, accountId);
  await dead.fleet.leave();
  isDying = true;
  heir.projector.othersGone();
  await expect(heir.projector.run()).rejects.toThrow('killed');
  expect(await dates(accountId)).toMatchObject({ sms: null });
  await heir.fleet.leave();
  last.projector.othersGone();
  await last.projector.run();
  expect(await dates(accountId)).toMatchObject({ sms: first.submittedAt });
});

test('a first SMS that was claimed and not marked is marked by the same process, and by the heir of one that died', async () => {
  let broken = '';
  const db: Queryable = {
    query: (statement) =>
      statement.name === broken ? Promise.reject(new Error('broken off')) : lanes.query(statement),
  };
  for (const step of ['first_sends.mark', 'first_sends.end'])
    for (const survives of [true, false]) {
      const process = await testProcess({ db });
      const accountId = await newAccount();
      const first = await send(process, accountId);
      broken = step;
      await expect(process.projector.run()).rejects.toThrow('broken off');
      broken = '';
      const [{ at, claimed } = {}] = (
        await sql<{ at: Date; claimed: string }>`select sms_first_send_at as at, sms_first_message_id as claimed
        from account where id = ${accountId}`.execute(database.db)
      ).rows;
      expect([at?.getTime(), claimed]).toEqual([first.submittedAt, first.id]);
      const heir = survives ? process : await testProcess();
      if (!survives) {
        await process.fleet.leave();
        heir.projector.othersGone();
      }
      // What comes meanwhile is not the first.
      await send(heir, accountId);
      await heir.projector.run();
      expect(await dates(accountId)).toEqual({ sms: first.submittedAt, app: null, messages: [first.id] });
      const left = sql`select from account where sms_first_message_id is not null or sms_first_session_id is not null`;
      expect((await left.execute(database.db)).rows).toEqual([]);
    }
});

test('what was committed without an answer is looked for, and once more when nothing can come any more', async () => {
  const process = await testProcess();
  const blind = await testProcess(); // What it commits, the other one does not hear of.
  process.projector.commitUnknown();
  await process.projector.run();
  const accountId = await newAccount();
  const first = await send(blind, accountId);
  await process.projector.run();
  expect(await dates(accountId)).toMatchObject({ sms: null });
  process.clock.pass(20_000);
  await process.projector.run();
  expect(await dates(accountId)).toMatchObject({ sms: first.submittedAt });
});

test('a database that is away delays a date, and loses none', async () => {
  let isAway = false;
  const db: Queryable = {
    query: (statement) => (isAway ? Promise.reject(new Error('away')) : lanes.query(statement)),
  };
  const process = await testProcess({ db });
  const accountId = await newAccount();
  const first = await send(process, accountId);
  isAway = true;
  await expect(process.projector.run()).rejects.toThrow('away');
  isAway = false;
  await process.projector.run();
  expect(await dates(accountId)).toMatchObject({ sms: first.submittedAt });
});

test('while nothing is new a second costs nothing, and a minute one statement', async () => {
  const names: string[] = [];
  const db: Queryable = {
    query: (statement) => {
      names.push(statement.name);
      return lanes.query(statement);
    },
  };
  const process = await testProcess({ db });
  const mark = async () => {
    const { rows } = await sql<{ at: Date }>`
      select done_until as at from projection where process_id = ${process.fleet.processId}`.execute(database.db);
    return rows[0]?.at.getTime();
  };
  const begun = await mark();
  names.length = 0;
  for (let n = 0; n < 8; n += 1) {
    process.clock.pass(250);
    await process.projector.run();
  }
  expect(names).toEqual([]);
  expect(await mark()).toBe(begun);
  process.clock.pass(60_000);
  await process.projector.run();
  expect(await mark()).toBeGreaterThan(begun ?? 0);
  await process.projector.end();
  expect(await mark()).toBeUndefined();
});

test('a process that was taken for dead and lives stores its mark again', async () => {
  const process = await testProcess();
  await sql`delete from projection where process_id = ${process.fleet.processId}`.execute(database.db);
  process.projector.othersGone(); // Its own lease had ended, too.
  for (let n = 0; n < 2; n += 1) {
    process.clock.pass(1_000);
    await process.projector.run();
  }
  const { rows } = await sql`select from projection where process_id = ${process.fleet.processId}`.execute(database.db);
  expect(rows).toHaveLength(1);
});
