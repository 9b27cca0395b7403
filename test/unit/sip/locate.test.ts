// Addresses of trunks as people write them, the order of SRV records, and what is done when the DNS fails.
import { expect, test } from 'vitest';
import { Locator, orderRecords, parseTrunkAddress, type Resolver, type SrvRecord } from '../../../src/sip/locate.ts';

test.each([
  ['trunk.example', 'trunk.example', null],
  ['trunk.example:5080', 'trunk.example', 5080],
  ['pbx_1', 'pbx_1', null],
  ['3cx:5060', '3cx', 5060],
  ['sip.4example.', 'sip.4example.', null],
  ['192.0.2.1', '192.0.2.1', null],
  ['192.0.2.1:5062', '192.0.2.1', 5062],
  ['2001:db8::1', '2001:db8::1', null],
  ['[2001:db8::1]', '2001:db8::1', null],
  ['[2001:db8::1]:5080', '2001:db8::1', 5080],
])('%s is read', (text, host, port) => {
  expect(parseTrunkAddress(text)).toEqual({ host, port });
});

test.each([
  '',
  'a b',
  'sip:a.example',
  'a.example:0',
  'a.example:65536',
  'a.example:',
  '192.0.2.256',
  '192.0.2',
  '[192.0.2.1]',
  '[a.example]',
  '-a.example',
  'a..example',
  '2001:db8::1:5080:x',
])('%j is refused', (text) => {
  expect(parseTrunkAddress(text)).toBeNull();
});

const record = (name: string, priority: number, weight: number): SrvRecord => ({ name, port: 5060, priority, weight });

test('lower priorities come first, and weights share the first place', () => {
  const records = [record('backup', 20, 0), record('large', 10, 90), record('small', 10, 10), record('rare', 10, 0)];
  const first: Record<string, number> = {};
  let state = 1;
  // A linear congruential generator: the same draws in every run.
  const random = () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state / 2 ** 31;
  };
  for (let round = 0; round < 2_000; round++) {
    const [winner = record('', 0, 0), ...others] = orderRecords(records, random);
    first[winner.name] = (first[winner.name] ?? 0) + 1;
    expect(others).toHaveLength(3);
    expect(others.at(-1)?.name).toBe('backup');
  }
  expect(first.large).toBeGreaterThan(1_700);
  expect(first.small).toBeGreaterThan(120);
  expect(first.rare).toBeGreaterThan(5);
  expect(first.rare).toBeLessThan(60);
});

const notFound = () => Promise.reject(Object.assign(new Error('queryA ENOTFOUND'), { code: 'ENOTFOUND' }));
const silent = () => new Promise<never>(() => {});

function fake(answers: Partial<Resolver>): Resolver & { asked: string[] } {
  const asked: string[] = [];
  const { srv = notFound, addresses = notFound } = answers;
  return {
    asked,
    srv: (name) => {
      asked.push(`srv ${name}`);
      return srv(name);
    },
    addresses: (name) => {
      asked.push(`addresses ${name}`);
      return addresses(name);
    },
  };
}

const trunk = { host: 'trunk.example', port: null, transport: 'udp' } as const;

test('an address needs no DNS', async () => {
  const resolver = fake({});
  const located = await new Locator({ ...trunk, host: '2001:DB8:0:0::1', resolver }).locate(0);
  expect(located).toEqual({ kind: 'located', targets: [{ address: '2001:db8::1', port: 5060 }] });
  expect(resolver.asked).toEqual([]);
});

test.each([
  ['udp', 5060, '_sip._udp.trunk.example'],
  ['tcp', 5060, '_sip._tcp.trunk.example'],
  ['tls', 5061, '_sips._tcp.trunk.example'],
] as const)('over %s, a name without records of services has port %i', async (transport, port, service) => {
  const resolver = fake({ addresses: async () => ['192.0.2.7'] });
  const located = await new Locator({ ...trunk, transport, resolver }).locate(0);
  expect(located).toEqual({ kind: 'located', targets: [{ address: '192.0.2.7', port }] });
  expect(resolver.asked).toEqual([`srv ${service}`, 'addresses trunk.example']);
});

test('a port given asks for no services', async () => {
  const resolver = fake({ addresses: async () => ['192.0.2.7'] });
  await new Locator({ ...trunk, port: 5070, resolver }).locate(0);
  expect(resolver.asked).toEqual(['addresses trunk.example']);
});

test('records are used for a time, by all who ask at once, and then read again', async () => {
  const resolver = fake({ addresses: async () => ['192.0.2.7'] });
  const locator = new Locator({ ...trunk, port: 5060, reuseMs: 1_000, resolver });
  await Promise.all([locator.locate(0), locator.locate(0)]);
  await locator.locate(999);
  expect(resolver.asked).toHaveLength(1);
  await locator.locate(1_000);
  expect(resolver.asked).toHaveLength(2);
});

test('a DNS that fails later leaves the hosts known from before', async () => {
  let works = true;
  const failing = () => Promise.reject(Object.assign(new Error('querySrv ESERVFAIL'), { code: 'ESERVFAIL' }));
  const resolver = fake({
    srv: async () => (works ? [{ ...record('b.example', 1, 1), port: 5080 }] : failing()),
    addresses: async (name) => [name === 'b.example' ? '192.0.2.8' : '192.0.2.1'],
  });
  const locator = new Locator({ ...trunk, reuseMs: 0, resolver });
  const first = await locator.locate(0);
  works = false;
  expect(await locator.locate(1)).toEqual(first);
  expect(await locator.locate(2)).toEqual(first);
  // Nothing known: the name itself is tried.
  expect(await new Locator({ ...trunk, resolver }).locate(0)).toMatchObject({ targets: [{ address: '192.0.2.1' }] });
});

test('a DNS that is silent is not waited for', async () => {
  const located = await new Locator({
    ...trunk,
    timeoutMs: 5,
    resolver: fake({ srv: silent, addresses: silent }),
  }).locate(0);
  expect(located).toEqual({ kind: 'unresolved', why: 'the DNS does not answer for trunk.example' });
});

const refusing = () => Promise.reject(Object.assign(new Error('querySrv EREFUSED'), { code: 'EREFUSED' }));

test.each([
  ['refused', refusing],
  ['never answered', silent],
])('where the question for services is %s, the name has the addresses that it has by then', async (_, srv) => {
  let address = '192.0.2.1';
  const resolver = fake({ srv, addresses: async () => [address] });
  const locator = new Locator({ ...trunk, reuseMs: 0, timeoutMs: 500, resolver });
  expect(await locator.locate(0)).toMatchObject({ targets: [{ address: '192.0.2.1' }] });
  address = '192.0.2.2';
  expect(await locator.locate(1)).toMatchObject({ targets: [{ address: '192.0.2.2' }] });
});

test('hosts that records have named stay while the question for services is never answered', async () => {
  let srv: Resolver['srv'] = async () => [record('b.example', 1, 1)];
  const addresses = async (name: string) => [name === 'b.example' ? '192.0.2.8' : '192.0.2.1'];
  const resolver = fake({ srv: (name) => srv(name), addresses });
  const locator = new Locator({ ...trunk, reuseMs: 0, timeoutMs: 50, resolver });
  const first = await locator.locate(0);
  srv = silent;
  expect(await locator.locate(1)).toEqual(first);
});

test('a name that does not exist is unresolved, and is asked for again at once', async () => {
  const resolver = fake({});
  const locator = new Locator({ ...trunk, port: 5060, resolver });
  expect(await locator.locate(0)).toEqual({ kind: 'unresolved', why: 'queryA ENOTFOUND' });
  await locator.locate(1);
  expect(resolver.asked).toHaveLength(2);
});

test('a service that is declared absent is not looked for at the name itself', async () => {
  const resolver = fake({ srv: async () => [record('', 0, 0)], addresses: async () => ['192.0.2.7'] });
  expect(await new Locator({ ...trunk, resolver }).locate(0)).toMatchObject({ kind: 'unresolved' });
});

test('a host of several that has no address is passed over', async () => {
  const resolver = fake({
    srv: async () => [record('gone.example', 1, 0), record('b.example', 2, 0)],
    addresses: (name) => (name === 'b.example' ? Promise.resolve(['192.0.2.8', '2001:db8::8']) : notFound()),
  });
  const located = await new Locator({ ...trunk, resolver }).locate(0);
  expect(located).toMatchObject({ targets: [{ address: '192.0.2.8' }, { address: '2001:db8::8' }] });
});
