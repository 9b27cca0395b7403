// Which connections of an address are cut, and which never.
import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Gate } from '../../../../src/api/clients/gate.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

const graceMs = 1_000;
const handshakeMs = 5_000;
/** What is due, and the immediates behind it. */
const after = async (ms: number) => {
  vi.advanceTimersByTime(ms);
  await setImmediate();
};
const afterGrace = () => after(graceMs);

let ports = 0;

/** What the gate sees of a socket. */
function connection(gate: Gate, remoteAddress = '192.0.2.1') {
  const socket = new EventEmitter();
  const remotePort = ++ports;
  const state = { isOpen: true };
  const destroy = () => {
    state.isOpen = false;
    socket.emit('close');
  };
  gate.accept(Object.assign(socket, { remoteAddress, remotePort, destroy }) as unknown as Socket);
  return { state, of: () => gate.of(`${remoteAddress}:${remotePort}`), close: destroy };
}

const newGate = (most: number, more = {}) =>
  new Gate({ perAddress: () => most, isTrusted: (address) => address === '10.0.0.1', graceMs, ...more });

test('the oldest silent connection of an address makes room for a new one; others keep theirs', async () => {
  const gate = newGate(2);
  const other = connection(gate, '192.0.2.2');
  const three = [connection(gate), connection(gate), connection(gate)];
  expect(three.every(({ state }) => state.isOpen)).toBe(true); // One of them may be about to show its key.
  await afterGrace();
  expect(three.map(({ state }) => state.isOpen)).toEqual([false, true, true]);
  expect(other.state.isOpen).toBe(true);
  expect(gate.counted('192.0.2.1')).toBe(2);
  for (const { close } of [other, ...three]) close();
  expect(gate.counted()).toBe(0);
  expect(three[2]?.of()).toBeUndefined();
});

test('a connection over which a good key came is not counted, and never cut', async () => {
  const gate = newGate(2);
  const good = connection(gate);
  good.of()?.proven();
  const many = Array.from({ length: 50 }, () => connection(gate));
  expect(many.filter(({ state }) => state.isOpen)).toHaveLength(8); // Four times as many, for a moment.
  await afterGrace(); // It began before most of them came.
  await afterGrace();
  expect(good.state.isOpen).toBe(true);
  expect(many.filter(({ state }) => state.isOpen)).toHaveLength(2);
});

test('a client that opens many at once and shows its key on each keeps them all', async () => {
  const gate = newGate(2);
  const many = Array.from({ length: 8 }, () => connection(gate));
  for (const each of many) each.of()?.proven();
  await afterGrace();
  expect(many.every(({ state }) => state.isOpen)).toBe(true);
});

test('a call under way has the time of a handshake to show a good key; then the youngest is cut', async () => {
  const gate = newGate(2, { handshakeMs });
  const three = [connection(gate), connection(gate), connection(gate)];
  for (const each of three) {
    each.of()?.greeted();
    each.of()?.begin();
  }
  await afterGrace();
  expect(three.every(({ state }) => state.isOpen)).toBe(true);
  for (let passed = graceMs; passed < handshakeMs; passed += graceMs) await afterGrace();
  expect(three.map(({ state }) => state.isOpen)).toEqual([true, true, false]);
  three[1]?.of()?.end();
  const young = connection(gate);
  await afterGrace();
  expect(young.state.isOpen).toBe(true);
  expect(three.map(({ state }) => state.isOpen)).toEqual([true, false, false]);
});

test('what came while the process was busy is read before anything is cut', async () => {
  const gate = newGate(2);
  const many = Array.from({ length: 8 }, () => connection(gate));
  // Node's loop: the timer that is due first, then what can be read, then immediates.
  setTimeout(() => {
    for (const each of many) each.of()?.proven();
  }, graceMs);
  await afterGrace();
  expect(many.every(({ state }) => state.isOpen)).toBe(true);
});

test('who comes while others’ grace ends has a whole one', async () => {
  const gate = newGate(2);
  const silent = [connection(gate), connection(gate), connection(gate)];
  vi.advanceTimersByTime(graceMs - 1);
  const many = Array.from({ length: 5 }, () => connection(gate));
  await after(1);
  expect(many.every(({ state }) => state.isOpen)).toBe(true);
  expect(silent.some(({ state }) => state.isOpen)).toBe(false);
  for (const each of many) each.of()?.proven();
  await afterGrace();
  expect(many.every(({ state }) => state.isOpen)).toBe(true);
});

test('IPv6 is counted by /64; a trusted proxy is not counted', async () => {
  const gate = newGate(1);
  const [first, second, elsewhere] = ['2001:db8::1', '2001:db8::2', '2001:db8:0:1::1'].map((ip) =>
    connection(gate, ip),
  );
  await afterGrace();
  expect([first, second, elsewhere].map((each) => each?.state.isOpen)).toEqual([false, true, true]);
  const proxied = Array.from({ length: 10 }, () => connection(gate, '::ffff:10.0.0.1'));
  await afterGrace();
  expect(proxied.every(({ state }) => state.isOpen)).toBe(true);
});

test('a handshake that is not complete in time is cut, a trusted proxy’s too', async () => {
  const gate = newGate(10, { handshakeMs: 5_000 });
  const [silent, proxied, greeted] = [connection(gate), connection(gate, '10.0.0.1'), connection(gate)];
  greeted.of()?.greeted();
  await after(4_999);
  expect(silent.state.isOpen).toBe(true);
  await after(1);
  expect([silent, proxied, greeted].map(({ state }) => state.isOpen)).toEqual([false, false, true]);
});
