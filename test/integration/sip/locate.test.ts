// The real resolver against a real DNS server.
import { expect, test } from 'vitest';
import { Locator, systemResolver } from '../../../src/sip/locate.ts';
import { startDnsServer } from './dns-server.ts';

const dns = await startDnsServer({
  srv: {
    '_sip._udp.trunk.example': [
      [20, 0, 5082, 'backup.trunk.example'],
      [10, 5, 5081, 'main.trunk.example'],
    ],
    '_sip._tcp.trunk.example': [[0, 0, 0, '.']],
  },
  a: { 'main.trunk.example': ['192.0.2.1'], 'backup.trunk.example': ['192.0.2.2'], 'plain.example': ['192.0.2.3'] },
  aaaa: { 'main.trunk.example': ['2001:db8::1'] },
});
const resolver = systemResolver([dns.address]);

test('services lead to hosts, and hosts to addresses of both families', async () => {
  const located = await new Locator({ host: 'trunk.example', port: null, transport: 'udp', resolver }).locate(0);
  expect(located).toEqual({
    kind: 'located',
    targets: [
      { address: '192.0.2.1', port: 5081 },
      { address: '2001:db8::1', port: 5081 },
      { address: '192.0.2.2', port: 5082 },
    ],
  });
  expect(dns.asked).toContain('SRV _sip._udp.trunk.example');
});

test('a service of target "." is absent', async () => {
  const located = await new Locator({ host: 'trunk.example', port: null, transport: 'tcp', resolver }).locate(0);
  expect(located).toEqual({
    kind: 'unresolved',
    why: 'the DNS says that trunk.example has no service of SIP over tcp',
  });
});

test('a name without services has its own addresses', async () => {
  const located = await new Locator({ host: 'plain.example', port: null, transport: 'tls', resolver }).locate(0);
  expect(located).toEqual({ kind: 'located', targets: [{ address: '192.0.2.3', port: 5061 }] });
});

test('hosts stay known while the DNS fails', async () => {
  const locator = new Locator({ host: 'trunk.example', port: null, transport: 'udp', resolver, reuseMs: 0 });
  const before = await locator.locate(0);
  dns.failure = 2;
  expect(await locator.locate(1)).toEqual(before);
  dns.failure = null;
});

test('services are asked of the name servers that there are by then', async () => {
  const servers = [dns.address];
  const changing = systemResolver(servers);
  await changing.srv('_sip._udp.trunk.example');
  const other = await startDnsServer({ srv: { '_sip._udp.trunk.example': [[0, 0, 5083, 'new.trunk.example']] } });
  servers[0] = other.address;
  expect(await changing.srv('_sip._udp.trunk.example')).toMatchObject([{ name: 'new.trunk.example' }]);
});

test('the hosts file is read as well', async () => {
  const located = await new Locator({ host: 'localhost', port: 5060, transport: 'udp' }).locate(0);
  expect(located).toMatchObject({ kind: 'located' });
});
