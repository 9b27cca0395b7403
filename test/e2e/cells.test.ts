// A server with two cells, started by its settings: callers see one service, the rows are in two databases, and with one of them away the
// numbers of the other go on.
import { connect, createServer, type Socket } from 'node:net';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { report as ramzReport } from '../../src/cli/report.ts';
import { CellMap } from '../../src/core/fleet/cells.ts';
import { shardForNumber } from '../../src/core/ids.ts';
import type { Schema } from '../../src/db/schema.ts';
import { testDatabase } from '../support/database.ts';
import { freePort } from '../support/free-port.ts';
import { listen } from '../support/listen.ts';
import { databaseUrl, execute } from '../support/server.ts';
import { testService } from '../support/service.ts';
import { until } from '../support/wait.ts';

const [home, other] = [await testDatabase<Schema>(), await testDatabase<Schema>()];
const half = (cell: string, at: number) => ({ first: at * 512, after: at * 512 + 512, cell });
const map = new CellMap([{ from: 0, ranges: ['home', 'b'].map(half) }]);

/** The way to the second database, which can be closed and opened again. */
async function door(url: string) {
  const target = new URL(url);
  const { hostname, port: farPort } = new URL(url);
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const far = connect(Number(farPort), hostname);
    for (const [from, to] of [
      [client, far],
      [far, client],
    ] as const) {
      sockets.add(from);
      from.on('error', () => {}).on('close', () => to.destroy());
      from.pipe(to);
    }
  });
  // Closed, it leaves a port that nothing else takes.
  const port = await freePort();
  await listen(server, port);
  target.port = String(port);
  target.hostname = '127.0.0.1';
  return {
    url: target.href,
    close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
    open: () => new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve)),
  };
}

const way = await door(other.url);
const cells = {
  cells: { b: way.url },
  epochs: [{ from: '1970-01-01T00:00:00Z', shards: { '0-511': 'home', '512-1023': 'b' } }],
};
const service = await testService({ database: home, errorsExpected: true });
const { sandbox } = service;
const server = await service.startProcess({ DATABASE_CELLS: JSON.stringify(cells) });
const { live } = server;

/** Numbers of a cell. */
function numbers(cell: string, from: number, count: number): string[] {
  const found: string[] = [];
  for (let n = from; found.length < count; n += 1) {
    const number = `+21355${n}`;
    if (map.ofNumber(number, Date.now()) === cell) found.push(number);
  }
  return found;
}

const rows = async ({ db }: typeof home, table: string) =>
  (await sql<{ n: number }>`select count(*)::integer as n from ${sql.table(table)}`.execute(db)).rows[0]?.n;

test('send, check, get, list and webhooks, in both cells', async () => {
  const all = [...numbers('home', 6_000_000, 10), ...numbers('b', 6_000_000, 10)];
  const sent = await Promise.all(all.map((to) => live.send(to)));
  for (const { id, to } of sent) expect(map.ofId(id)).toBe(map.ofNumber(to, Date.now()));

  for (const { id, to } of sent) {
    const code = await sandbox.codeTo(to);
    expect(await live.check(id, code)).toMatchObject({ valid: true, status: 'verified' });
    await until(async () => (await live.session(id)).messages[0]?.status === 'delivered', { what: 'the receipt' });
  }
  const told = (type: string) =>
    new Set(sandbox.events().flatMap((event) => (event.type === type ? [event.data.session_id] : [])));
  await until(() => sent.every(({ id }) => told('receipt.updated').has(id)), { what: 'a webhook of each receipt' });

  const listed: string[] = [];
  for (let token = ''; listed.length === 0 || token !== ''; ) {
    const { body } = await live.call<{ sessions: { id: string }[]; next_page_token: string }>(
      'GET',
      `/v1/verify/sessions?page_size=7&page_token=${token}`,
    );
    listed.push(...body.sessions.map(({ id }) => id));
    token = body.next_page_token;
  }
  expect(listed).toEqual(
    sent
      .map(({ id }) => id)
      .sort()
      .reverse(),
  );

  expect(await Promise.all([home, other].map((database) => rows(database, 'verify_session')))).toEqual([10, 10]);
  expect(await rows(other, 'account')).toBe(0);

  // Webhooks lie with their sessions, and their endpoint lists them all.
  const deliveries = await Promise.all([home, other].map((database) => rows(database, 'webhook_delivery')));
  expect(Math.min(...deliveries.map((count) => count ?? 0))).toBeGreaterThanOrEqual(20);
  const { body: made } = await live.call<{ webhook_endpoints: { id: string }[] }>('GET', '/v1/webhook_endpoints');
  const path = `/v1/webhook_endpoints/${made.webhook_endpoints[0]?.id}/deliveries`;
  const ids: string[] = [];
  for (let token = ''; ids.length === 0 || token !== ''; ) {
    type Page = { deliveries: { event_id: string }[]; next_page_token: string };
    const { body } = await live.call<Page>('GET', `${path}?page_size=13&page_token=${token}`);
    ids.push(...body.deliveries.map(({ event_id }) => event_id));
    token = body.next_page_token;
  }
  expect(ids).toEqual([...new Set(ids)].sort().reverse());
  expect(ids).toHaveLength(deliveries.reduce<number>((sum, count) => sum + (count ?? 0), 0));

  // What was sent in both is added up.
  const report = async () => {
    const lines: string[] = [];
    const env = { DATABASE_URL: home.url, DATABASE_CELLS: JSON.stringify(cells) };
    expect(await ramzReport(['--by', 'mode', '--json'], { env, say: (line) => void lines.push(line) })).toBe(0);
    return (JSON.parse(lines.join('\n')) as { rows: object[] }).rows;
  };
  const counted = { mode: 'live', sessions: 20, verified: 20, sent: 20, delivered: 20 };
  // A receipt is counted behind its check.
  const projected = async () => {
    expect(await report()).toEqual([expect.objectContaining(counted)]);
    return true;
  };
  await until(projected, { what: 'both to be projected' });
  // Without the setting half of it would be missing: the process says at home what it works on.
  const said: string[] = [];
  const say = (line: string) => void said.push(line);
  expect(await ramzReport([], { env: { DATABASE_URL: home.url }, say })).toBe(1);
  expect(said.join()).toContain('DATABASE_CELLS does not name the cell b');
});

test('with a cell away its numbers are refused with 503, and the others go on; once it is back, its own do', async () => {
  const [ofHome, ofOther] = [numbers('home', 7_000_000, 4), numbers('b', 7_000_000, 4)];
  const kept = await live.send(ofOther[0] ?? '');
  const code = await sandbox.codeTo(kept.to);
  way.close();

  const send = (to: string) => live.call<object>('POST', '/v1/verify/send', { to });
  for (const to of ofOther.slice(1)) expect((await send(to)).status).toBe(503);
  for (const to of ofHome) {
    const { id } = await live.send(to);
    expect(await live.check(id, await sandbox.codeTo(to))).toMatchObject({ valid: true });
  }
  await readyWithoutB(server);
  expect((await live.call('GET', '/v1/verify/sessions')).status).toBe(503);

  await way.open();
  await until(async () => (await send(ofOther[1] ?? '')).status === 200, { what: 'the cell to take sends again' });
  expect(await live.check(kept.id, code)).toMatchObject({ valid: true });
  await until(async () => (await stateOfB(server)) === 'current', { what: 'the cell to be current' });
});

/** Once more where the process stood still for a moment, which it says first. */
const readyWithoutB = ({ metrics }: { metrics: string }) =>
  until(
    async () => {
      const ready = await fetch(`${metrics}/readyz`);
      expect([ready.status, await ready.json()]).toMatchObject([200, { cells: { b: 'unreachable' } }]);
      return true;
    },
    { what: 'readiness without the cell' },
  );

const stateOfB = async ({ metrics }: { metrics: string }) =>
  ((await (await fetch(`${metrics}/readyz`)).json()) as { cells: { b: string } }).cells.b;

const metric = async (metrics: string, cell: string) =>
  new RegExp(`^ramz_cell_ready\\{cell="${cell}"\\} (\\d)$`, 'm').exec(
    await (await fetch(`${metrics}/metrics`)).text(),
  )?.[1];

test('a process starts while a cell is away: the others work, and that one does as soon as it is there', async () => {
  way.close();
  const late = await service.startProcess({ DATABASE_CELLS: JSON.stringify(cells) });
  const [ofHome = '', ofOther = ''] = [...numbers('home', 8_000_000, 1), ...numbers('b', 8_000_000, 1)];
  const { id } = await late.live.send(ofHome);
  expect(await late.live.check(id, await sandbox.codeTo(ofHome))).toMatchObject({ valid: true });
  const send = (to: string) => late.live.call<object>('POST', '/v1/verify/send', { to });
  expect((await send(ofOther)).status).toBe(503);
  await readyWithoutB(late);
  const measured = () => Promise.all(['home', 'b'].map((cell) => metric(late.metrics, cell)));
  await until(async () => String(await measured()) === '1,0', { what: 'the metrics of both' });

  await way.open();
  await until(async () => (await send(ofOther)).status === 200, { what: 'the cell to take sends' });
  const { body } = await late.live.call<{ sessions: { id: string }[] }>(
    'GET',
    `/v1/verify/sessions?to=%2B${ofOther.slice(1)}`,
  );
  const [found] = body.sessions;
  expect(await late.live.check(found?.id ?? '', await sandbox.codeTo(ofOther))).toMatchObject({ valid: true });
  const told = () => sandbox.events().some((event) => event.data.session_id === found?.id);
  await until(told, { what: 'a webhook of the cell' });
  await until(async () => (await metric(late.metrics, 'b')) === '1', { what: 'the metric' });
  await until(async () => (await stateOfB(late)) === 'current', { what: 'the cell to be current' });
  await late.process.end('SIGTERM');
});

test('a process starts while a cell takes no changes, as a standby before it is promoted: it works there as soon as it does', async () => {
  const readOnly = (value: string) =>
    execute(
      databaseUrl(other.url, 'postgres'),
      `alter database ${new URL(other.url).pathname.slice(1)} set default_transaction_read_only = ${value}`,
    );
  await readOnly('on');
  const late = await service
    .startProcess({ DATABASE_CELLS: JSON.stringify(cells) })
    .finally(() => until(() => readOnly('off').then(() => true), { what: 'the cell to take changes' }));
  const [ofHome = '', ofOther = ''] = [...numbers('home', 8_200_000, 1), ...numbers('b', 8_200_000, 1)];
  const { id } = await late.live.send(ofHome);
  expect(await late.live.check(id, await sandbox.codeTo(ofHome))).toMatchObject({ valid: true });
  const send = () => late.live.call<object>('POST', '/v1/verify/send', { to: ofOther });
  await until(async () => (await send()).status === 200, { what: 'the cell to take sends' });
  expect(late.log()).not.toContain('this process must not work on the cell');
  await late.process.end('SIGTERM');
});

test('a database that is another cell than it is named is refused, at the start and when it comes later', async () => {
  const third = await testDatabase<Schema>();
  const named = (urls: Record<string, string>) =>
    JSON.stringify({
      cells: urls,
      epochs: [{ from: '1970-01-01T00:00:00Z', shards: { '0-511': 'home', '512-767': 'b', '768-1023': 'c' } }],
    });
  const first = await service.startProcess({ DATABASE_CELLS: named({ b: other.url, c: third.url }) });
  await first.process.end('SIGTERM');
  const swapped = service.startProcess({ DATABASE_CELLS: named({ b: third.url, c: other.url }) });
  await expect(swapped).rejects.toThrow(
    /cell [bc]: DATABASE_CELLS\.cells\.[bc] leads to the database of cell "[bc]", as that says of itself: are two URLs in each other's place\?/,
  );

  const wrong = await door(third.url);
  wrong.close();
  const late = await service.startProcess({ DATABASE_CELLS: named({ b: wrong.url, c: third.url }) });
  await wrong.open();
  const cellsOf = async () => ((await (await fetch(`${late.metrics}/readyz`)).json()) as { cells: object }).cells;
  await until(async () => JSON.stringify(await cellsOf()) === '{"b":"refused","c":"current"}', { what: 'the refusal' });
  const [to = ''] = numbers('b', 8_100_000, 40).filter((number) => shardForNumber(number) < 768);
  expect((await late.live.call('POST', '/v1/verify/send', { to })).status).toBe(503);
  expect(await rows(third, 'verify_session')).toBe(0);
  await until(() => late.log().includes('this process must not work on the cell'), { what: 'the line in the log' });
  await late.process.end('SIGTERM');
  wrong.close();
});
