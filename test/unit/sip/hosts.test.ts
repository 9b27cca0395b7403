// Hosts of a trunk that were silent: others are called in their place, and one call in a while finds out whether they are back.
import { beforeEach, expect, test } from 'vitest';
import { TrunkHosts } from '../../../src/sip/hosts.ts';
import type { Resolver } from '../../../src/sip/locate.ts';

const [first, second] = [
  { address: '192.0.2.1', port: 5060 },
  { address: '192.0.2.2', port: 5060 },
];
const resolver: Resolver = {
  srv: async () => [
    { name: 'a.example', port: 5060, priority: 10, weight: 0 },
    { name: 'b.example', port: 5060, priority: 20, weight: 0 },
  ],
  addresses: async (name) => [name === 'a.example' ? first.address : second.address],
};
let hosts: TrunkHosts;
let now = 0;
const order = async () => {
  const located = await hosts.locate(now, ({ address }) => address === second.address);
  return located.kind === 'located' && located.targets.map(({ address }) => address);
};

beforeEach(() => {
  now = 1_000_000;
  hosts = new TrunkHosts({ trunk: { host: 'trunk.example', port: null }, transport: 'tcp', resolver });
});

test('a host that was silent comes last for a minute; then one call finds out whether it is back, and no other waits for that', async () => {
  expect(await order()).toEqual([first.address, second.address]);
  hosts.markSilent(first, now);
  expect(await order()).toEqual([second.address, first.address]);
  now += 60_000;
  expect(await order()).toEqual([first.address, second.address]);
  expect(await order()).toEqual([second.address, first.address]);
  now += 60_000;
  expect(await order()).toEqual([first.address, second.address]);
  hosts.markHeard(first);
  expect(await order()).toEqual([first.address, second.address]);
  expect(await order()).toEqual([first.address, second.address]);
});

test('where all were silent their own order holds', async () => {
  hosts.markSilent(first, now);
  hosts.markSilent(second, now);
  expect(await order()).toEqual([first.address, second.address]);
});
