// Peer ports over real sockets: who shares the ring, the release and the name is talked to; whoever else comes is refused, and nothing
// is held up by it.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import net from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import tls from 'node:tls';
import { expect, onTestFinished, test } from 'vitest';
import { newKeyRing, parseKeyRing } from '../../../src/core/secrets/key-ring.ts';
import { LiveRing } from '../../../src/engine/secrets/live-ring.ts';
import type { Asked } from '../../../src/peers/asked.ts';
import { encodeFrames } from '../../../src/peers/frame.ts';
import { PeerPort, type PeerPortOptions } from '../../../src/peers/port.ts';
import { cipher, offeredSecrets } from '../../../src/peers/secret.ts';
import { agingIds } from '../../support/aging-ids.ts';
import { otherEnd } from '../../support/other-end.ts';
import { until } from '../../support/wait.ts';

/** Of two processes the younger one calls. */
const ids = agingIds();
const ringJson = () => JSON.parse(newKeyRing(randomBytes));
function ringOf(json: unknown) {
  const parsed = parseKeyRing(JSON.stringify(json));
  if (parsed.kind === 'invalid') throw new Error(parsed.errors.join());
  return parsed.ring;
}
const shared = ringJson();

/** A process; younger than those before it, so it calls them. */
async function member(options: Partial<PeerPortOptions> = {}) {
  const processId = ids('prc_');
  const logged: object[] = [];
  const worked: string[] = [];
  const log = { info: () => {}, warn: (fields: object) => void logged.push(fields) };
  const port = new PeerPort({
    host: '127.0.0.1',
    port: 0,
    processId,
    ring: ringOf(shared),
    dialect: 'one',
    work: async (body) => {
      worked.push(body);
      return `${processId} ${body}`;
    },
    takenMs: 10_000,
    log,
    ...options,
  });
  const number = await port.listen();
  onTestFinished(() => port.close());
  return { processId: options.processId ?? processId, port, number, address: `127.0.0.1:${number}`, logged, worked };
}

type Member = Awaited<ReturnType<typeof member>>;
const peersOf = (members: readonly Member[]) => members.map(({ processId, address }) => ({ processId, address }));
function meet(members: readonly Member[]): void {
  for (const { port } of members) port.meet(peersOf(members));
}
const hears = ({ port }: Member, { processId }: Member) => port.reachable.includes(processId);
async function connected(...members: Member[]): Promise<void> {
  meet(members);
  const all = () => members.every((one) => members.every((other) => one === other || hears(one, other)));
  await until(all, { what: 'all to hear each other' });
}
/** Both have said why they do not talk, or one has: the other end may only see that it was hung up on. */
async function refused(one: Member, two: Member, reason: string | RegExp): Promise<void> {
  meet([one, two]);
  const reasons = () => [...one.logged, ...two.logged].map((line) => String((line as { reason: unknown }).reason));
  await until(() => reasons().some((text) => text.match(reason)), { what: `a refusal: ${reason}` });
  expect([hears(one, two), hears(two, one)]).toEqual([false, false]);
  expect(await two.port.ask(one.processId, 'x')).toEqual({ kind: 'direct', why: 'no_peer' });
  expect([one.worked, two.worked]).toEqual([[], []]);
}

test('three processes: each asks each, over one connection a pair', async () => {
  const members = await Promise.all([member(), member(), member()]);
  await connected(...members);
  for (const one of members) {
    for (const other of members.filter((each) => each !== one)) {
      expect(await one.port.ask(other.processId, 'a')).toEqual({ kind: 'answered', body: `${other.processId} a` });
    }
    expect(await one.port.ask(one.processId, 'a')).toEqual({ kind: 'direct', why: 'no_peer' });
  }
});

test('one that has ended is left, and one that comes again is met', async () => {
  const [one, two] = [await member(), await member()];
  await connected(one, two);
  await two.port.close();
  await until(() => !hears(one, two), { what: 'the end' });
  expect(await one.port.ask(two.processId, 'x')).toEqual({ kind: 'direct', why: 'no_peer' });
  const again = await member({ processId: two.processId });
  await connected(one, again);
});

test('one that closes under questions has answered each that it was asked', async () => {
  const [one, two] = [await member(), await member()];
  await connected(one, two);
  const answers: Promise<Asked>[] = [];
  let isOver = false;
  const asking = (async () => {
    while (!isOver) {
      for (let n = 0; n < 20; n += 1) answers.push(one.port.ask(two.processId, 'x'));
      await turn();
    }
  })();
  await until(() => two.worked.length > 500, { what: 'questions to be under way' });
  await two.port.close();
  isOver = true;
  await asking;
  const why = (await Promise.all(answers)).map((answer) => (answer.kind === 'direct' ? answer.why : 'answered'));
  expect(new Set(why)).toEqual(new Set(['answered', 'no_peer']));
  expect(why.filter((each) => each === 'answered')).toHaveLength(two.worked.length);
});

test('one that is among the others no longer has the answers to what it had asked, and is counted on no more', async () => {
  const { promise: worked, resolve: work } = Promise.withResolvers<string>();
  const [staying, leaving] = [await member({ work: () => worked }), await member()];
  await connected(staying, leaving);
  const asked = leaving.port.ask(staying.processId, 'a message is handed over');
  // Both have learnt that one ends.
  for (const { port } of [staying, leaving]) port.meet(peersOf([staying]));
  expect(hears(staying, leaving)).toBe(false);
  await until(() => !hears(leaving, staying), { what: 'the one that ends to hear of it' });
  work('written');
  expect(await asked).toEqual({ kind: 'answered', body: 'written' });
  // It is not called again until it is among them.
  await connected(staying, leaving);
});

/** A wire to a process that can be cut, or carries nothing more, as if the process stood still. */
async function wireTo({ number }: Member) {
  const relayed: net.Socket[] = [];
  const relay = net.createServer((socket) => {
    const onward = net.connect(number, '127.0.0.1');
    relayed.push(socket, onward);
    for (const each of [socket, onward]) each.on('error', () => {});
    socket.pipe(onward).pipe(socket);
  });
  relay.listen(0, '127.0.0.1');
  await once(relay, 'listening');
  const cut = () => {
    for (const socket of relayed.splice(0)) socket.destroy();
  };
  const freeze = () => {
    for (const socket of relayed) socket.unpipe().pause();
  };
  onTestFinished(() => {
    cut();
    relay.close();
  });
  const address = `127.0.0.1:${(relay.address() as net.AddressInfo).port}`;
  return { address, cut, freeze, isUsed: () => relayed.length > 0 };
}

test('a connection that breaks is made again', async () => {
  const one = await member();
  const { address, cut, isUsed } = await wireTo(one);
  const two = await member();
  two.port.meet([{ processId: one.processId, address }]);
  one.port.meet(peersOf([two]));
  await until(() => hears(one, two) && hears(two, one), { what: 'the first connection' });
  const asked = two.port.ask(one.processId, 'a');
  await asked;
  cut();
  await until(() => isUsed() && hears(one, two) && hears(two, one), { what: 'the next connection' });
  expect(await two.port.ask(one.processId, 'b')).toMatchObject({ kind: 'answered' });
});

test('a message that was handed over to a process that stands still is waited for no longer than its lease', async () => {
  const one = await member();
  const { address, freeze } = await wireTo(one);
  const two = await member({ takenMs: 50 });
  two.port.meet([{ processId: one.processId, address }]);
  await until(() => hears(two, one), { what: 'the connection' });
  freeze();
  const asked = two.port.ask(one.processId, 'a message is handed over', { isPatient: true });
  await until(() => !hears(two, one), { what: 'the silence' });
  const stranger = ids('prc_');
  two.port.giveUp([stranger, one.processId]);
  // At once: seconds later the connection is given up, and so is what waits for it.
  expect(await Promise.race([asked, turn()])).toEqual({ kind: 'direct', why: 'lost' });
  expect(one.worked).toEqual([]);
});

test('a peer that took the connection and stood still is called again', async () => {
  const one = await member();
  let isFrozen = true;
  let calls = 0;
  const relay = net.createServer((socket) => {
    calls += 1;
    socket.on('error', () => {});
    if (isFrozen) return;
    const onward = net.connect(one.number, '127.0.0.1');
    onward.on('error', () => {});
    socket.pipe(onward).pipe(socket);
    socket.once('close', () => onward.destroy());
  });
  relay.listen(0, '127.0.0.1');
  await once(relay, 'listening');
  const two = await member();
  onTestFinished(async () => {
    await two.port.close();
    relay.close();
  });
  const address = `127.0.0.1:${(relay.address() as net.AddressInfo).port}`;
  two.port.meet([{ processId: one.processId, address }]);
  await until(() => calls > 0, { what: 'the first call' });
  isFrozen = false;
  await until(() => hears(one, two) && hears(two, one), { what: 'the next call' });
  expect(await two.port.ask(one.processId, 'a')).toMatchObject({ kind: 'answered' });
});

test.each(['h:99999', '', '::1:80', '127.0.0.1', 'x y:1'])('an address that is none: %j', async (address) => {
  const [one, two] = [await member(), await member()];
  two.port.meet([{ processId: one.processId, address }]);
  await until(() => two.logged.length > 0, { what: 'the refusal' });
  expect(two.logged).toEqual([{ peer: one.processId, reason: 'not an address', address }]);
  expect(await two.port.ask(one.processId, 'a')).toEqual({ kind: 'direct', why: 'no_peer' });
});

test('another ring: refused', async () => {
  await refused(await member(), await member({ ring: ringOf(ringJson()) }), /PSK|ALERT/);
});

test('the same name of a key and another key: refused', async () => {
  const other = structuredClone(shared);
  other.code.keys[other.code.current] = randomBytes(32).toString('base64');
  await refused(await member(), await member({ ring: ringOf(other) }), /ERR_SSL/);
});

test('while a key rotates, both ways', async () => {
  const ahead = structuredClone(shared);
  ahead.code.keys['code-next'] = randomBytes(32).toString('base64');
  ahead.code.current = 'code-next';
  const [old, next, oldAgain] = [await member(), await member({ ring: ringOf(ahead) }), await member()];
  await connected(old, next, oldAgain);
});

test('a connection that breaks after a rotation is made again with the key that there is now', async () => {
  const rings = [new LiveRing(ringOf(shared)), new LiveRing(ringOf(shared))] as const;
  const one = await member({ ring: rings[0] });
  const { address, cut, isUsed } = await wireTo(one);
  const two = await member({ ring: rings[1] });
  two.port.meet([{ processId: one.processId, address }]);
  one.port.meet(peersOf([two]));
  await until(() => hears(one, two) && hears(two, one), { what: 'the first connection' });
  const rotated = structuredClone(shared);
  rotated.code = { current: 'code-next', keys: { 'code-next': randomBytes(32).toString('base64') } };
  for (const ring of rings) ring.replace(ringOf(rotated));
  cut();
  await until(() => isUsed() && hears(one, two) && hears(two, one), { what: 'the next connection' });
  expect(await two.port.ask(one.processId, 'b')).toMatchObject({ kind: 'answered' });
});

test('two releases side by side do not talk', async () => {
  await refused(await member(), await member({ dialect: 'two' }), 'another release');
});

test('an address that is another process by now: refused', async () => {
  const [one, two] = [await member(), await member()];
  two.port.meet([{ processId: otherEnd(one.processId), address: one.address }]);
  await until(() => two.logged.length + one.logged.length > 0, { what: 'the refusal' });
  expect([...one.logged, ...two.logged]).toContainEqual(expect.objectContaining({ reason: 'another process' }));
  expect([one.port.reachable, two.port.reachable]).toEqual([[], []]);
});

test('strangers hold nobody up: noise, silence, TLS of the world, half a handshake', async () => {
  const one = await member();
  const sockets = [
    'GET / HTTP/1.1\r\n\r\n',
    '',
    randomBytes(600),
    Buffer.from('1603010200010001fc0303', 'hex'),
    encodeFrames([{ kind: 'greeting', number: 0, at: 0, body: '{}' }]),
  ].map((noise) => {
    const socket = net.connect(one.number, '127.0.0.1', () => socket.write(noise));
    // An alert that nobody reads would keep the socket from its end.
    socket.on('error', () => {}).resume();
    return socket;
  });
  const world = tls.connect({ port: one.number, host: '127.0.0.1', rejectUnauthorized: false });
  const failed = new Promise((resolve) => world.once('error', resolve));
  const two = await member();
  await connected(one, two);
  expect(await two.port.ask(one.processId, 'a')).toMatchObject({ kind: 'answered' });
  expect(await failed).toMatchObject({ code: expect.stringMatching(/SSL|RESET/) });
  // Who says nothing is hung up on.
  await Promise.all(sockets.map((socket) => (socket.closed ? undefined : once(socket, 'close'))));
  expect(one.worked).toEqual(['a']);
});

test('the ring without a key exchange (ECDHE): refused', async () => {
  const one = await member();
  const [secret] = offeredSecrets(ringOf(shared));
  if (!secret) throw new Error('no secret');
  const offered = (ciphers: string) =>
    new Promise<string>((resolve) => {
      const socket = tls.connect({
        port: one.number,
        host: '127.0.0.1',
        ciphers: `${ciphers}:@SECLEVEL=0`,
        maxVersion: 'TLSv1.2',
        checkServerIdentity: () => undefined,
        pskCallback: () => secret,
      });
      socket.on('error', ({ message }) => resolve(message));
      socket.on('secureConnect', () => {
        resolve(socket.getCipher().standardName);
        socket.destroy();
      });
    });
  expect(await offered('PSK:ECDHEPSK')).toMatch(/^TLS_ECDHE_PSK_/);
  for (const plain of ['PSK-CHACHA20-POLY1305', 'PSK-AES256-GCM-SHA384', 'RSA-PSK-CHACHA20-POLY1305'])
    expect(await offered(plain), plain).toMatch(/handshake failure/);
});

test('one that has the key and says nothing, or something else, is hung up on', async () => {
  const one = await member();
  const [secret] = offeredSecrets(ringOf(shared));
  if (!secret) throw new Error('no secret');
  const call = async (bytes: Buffer) => {
    const socket = tls.connect({
      port: one.number,
      host: '127.0.0.1',
      ciphers: cipher,
      maxVersion: 'TLSv1.2',
      checkServerIdentity: () => undefined,
      pskCallback: () => secret,
    });
    socket.on('error', () => {});
    socket.resume();
    await once(socket, 'secureConnect');
    if (bytes.length > 0) socket.write(bytes);
    await once(socket, 'close');
  };
  const ask = { kind: 'ask', number: 0, at: 0, body: 'work for a stranger' } as const;
  await Promise.all([call(Buffer.alloc(0)), call(randomBytes(100)), call(encodeFrames([ask]))]);
  expect([one.worked, one.port.reachable]).toEqual([[], []]);
});

test('ten thousand questions at once are answered, each its own', async () => {
  const [one, two] = [await member(), await member({ takenMs: 30_000 })];
  await connected(one, two);
  const asked = await Promise.all(Array.from({ length: 10_000 }, (_, n) => two.port.ask(one.processId, `${n}`)));
  expect(asked).toEqual(asked.map((_, n) => ({ kind: 'answered', body: `${one.processId} ${n}` })));
});
