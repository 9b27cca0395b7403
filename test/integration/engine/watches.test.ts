// Watches over several processes: those that can be asked say when they have changed what is watched; while one can't be, what is watched is
// read again and again.
import { expect, onTestFinished, test } from 'vitest';
import { testDatabase } from '../../support/database.ts';
import { carrierReceipt } from '../../support/engine.ts';
import { askedSend, connectByLine, connectByPorts, type RoutedEngine, routedEngines } from '../../support/routed.ts';
import { until } from '../../support/wait.ts';

const database = await testDatabase();

async function three() {
  const engines = await routedEngines(database, 3);
  return engines as [RoutedEngine, RoutedEngine, RoutedEngine];
}

async function opened(by: RoutedEngine, engines: readonly RoutedEngine[]) {
  const request = askedSend();
  const result = await by.face.send(request);
  if (result.kind !== 'sent') throw new Error(result.kind);
  const { session } = result;
  await until(() => engines.some(({ sms }) => sms.sent.some(({ sessionId }) => sessionId === session.id)), {
    what: 'its SMS',
  });
  const message = engines.flatMap(({ sms }) => sms.sent).find(({ sessionId }) => sessionId === session.id);
  if (!message) throw new Error('nothing was sent');
  return { name: { accountId: request.accountId, mode: 'live' as const, id: session.id }, message };
}

/** The states that a watch has seen. */
function watched({ engine }: RoutedEngine, name: Parameters<typeof engine.watch>[0]) {
  const leaving = new AbortController();
  const seen: string[] = [];
  const ended = (async () => {
    for await (const { session } of engine.watch(name, leaving.signal)) {
      const [message] = session.messages;
      seen.push(`${session.status} ${message?.status}`);
    }
  })();
  onTestFinished(async () => {
    leaving.abort();
    await ended;
  });
  return seen;
}

/** Looks as the loop of the process would. */
const looked = ({ engine }: RoutedEngine, isSeen: () => boolean) =>
  until(
    async () => {
      await engine.watches.runOnce();
      return isSeen();
    },
    { what: 'the state' },
  );

const readRows = ({ lanes }: RoutedEngine) => lanes.get('watch') ?? 0;

test('what any process changes is seen at once, and read once', async () => {
  const engines = await three();
  await connectByPorts(engines);
  const [watching, ...others] = engines;
  const { name, message } = await opened(watching, engines);
  const seen = watched(watching, name);
  await looked(watching, () => seen.at(-1) === 'pending submitted');
  expect(await watching.engine.watches.runOnce()).toBe(2_000);
  const before = readRows(watching);
  // By a process that need not be the owner, and directly.
  await others[0]?.engine.receipts.take(carrierReceipt(message, 'DELIVRD'));
  await until(() => seen.at(-1) === 'pending delivered', { what: 'the receipt' });
  await others[1]?.engine.check({
    accountId: name.accountId,
    mode: 'live',
    idempotency: null,
    target: { id: name.id },
    code: message.code,
  });
  await until(() => seen.at(-1) === 'verified delivered', { what: 'the check' });
  expect(readRows(watching) - before).toBeLessThanOrEqual(2);
  expect(await watching.engine.watches.runOnce()).toBeNull();
});

test('a change that is said while it is being read is not read again', async () => {
  const engines = (await routedEngines(database, 2)) as [RoutedEngine, RoutedEngine];
  connectByLine(engines, async (verb, answer) => (verb === 'changed' ? { kind: 'answered', body: 'null' } : answer()));
  const [watching, other] = engines;
  const { name, message } = await opened(watching, engines);
  const seen = watched(watching, name);
  await looked(watching, () => seen.at(-1) === 'pending submitted');
  await other.engine.receipts.take(carrierReceipt(message, 'DELIVRD'));
  const session = await other.engine.lookup.session(name);
  if (!session) throw new Error('no session');
  const before = readRows(watching);
  const said = JSON.stringify(['changed', { id: name.id, version: session.version }]);
  await Promise.all([1, 2, 3].map(() => watching.conversation.work(said)));
  await until(() => seen.at(-1) === 'pending delivered', { what: 'the receipt' });
  expect(readRows(watching) - before).toBe(1);
});

test('while a process lives that can not be asked, what is watched is read again and again', async () => {
  const engines = (await routedEngines(database, 2)) as [RoutedEngine, RoutedEngine];
  const ports = await connectByPorts(engines);
  const [watching, other] = engines;
  const { name, message } = await opened(watching, engines);
  const seen = watched(watching, name);
  await looked(watching, () => seen.at(-1) === 'pending submitted');
  expect(await watching.engine.watches.runOnce()).toBe(2_000);
  await ports[1]?.close();
  await until(() => ports[0]?.reachable.length === 0, { what: 'the end of the connection' });
  expect(await watching.engine.watches.runOnce()).toBe(200);
  await other.engine.receipts.take(carrierReceipt(message, 'DELIVRD'));
  await looked(watching, () => seen.at(-1) === 'pending delivered');
});

test('what this process changes while a watch is reading its session for the first time is seen at once', async () => {
  const [only] = (await routedEngines(database, 1)) as [RoutedEngine];
  const { name, message } = await opened(only, [only]);
  const { lookup } = only.engine;
  await until(async () => (await lookup.session(name))?.messages[0]?.status === 'submitted', { what: 'the SMS' });
  const read = lookup.session.bind(lookup);
  let begun = false;
  let answer = () => {};
  lookup.session = async (asked) => {
    const session = await read(asked);
    begun = true;
    await new Promise<void>((resolve) => {
      answer = resolve;
    });
    return session;
  };
  const seen = watched(only, name);
  await until(() => begun, { what: 'the first reading' });
  await only.engine.receipts.take(carrierReceipt(message, 'DELIVRD'));
  answer();
  await until(() => seen.at(-1) === 'pending delivered', { what: 'the receipt' });
});
