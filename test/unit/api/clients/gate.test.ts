// Which connections of an address are cut, and which never.
import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Gate } from '../../../../src/api/clients/gate.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const graceMs = 1_000;
const afterGrace = () => vi.advanceTimersByTime(graceMs);

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

test('the oldest silent connection of an address makes room for a new one; others keep theirs', () => {
  const gate = newGate(2);
  const other = connection(gate, '192.0.2.2');
  const three = [connection(gate), connection(gate), connection(gate)];
  expect(three.every(({ state }) => state.isOpen)).toBe(true); // One of them may be about to show its key.
  afterGrace();
  expect(three.map(({ state }) => state.isOpen)).toEqual([false, true, true]);
  expect(other.state.isOpen).toBe(true);
  expect(gate.counted('192.0.2.1')).toBe(2);
  for (const { close } of [other, ...three]) close();
  expect(gate.counted()).toBe(0);
  expect(three[2]?.of()).toBeUndefined();
});

test('a connection over which a good key came is not counted, and never cut', () => {
  const gate = newGate(2);
  const good = connection(gate);
  good.of()?.proven();
  const many = Array.from({ length: 50 }, () => connection(gate));
  expect(many.filter(({ state }) => state.isOpen)).toHaveLength(8); // Four times as many, for a moment.
  afterGrace();
  expect(good.state.isOpen).toBe(true);
  expect(many.filter(({ state }) => state.isOpen)).toHaveLength(2);
});

test('a client that opens many at once and shows its key on each keeps them all', () => {
  const gate = newGate(2);
  const many = Array.from({ length: 8 }, () => connection(gate));
  for (const each of many) each.of()?.proven();
  afterGrace();
  expect(many.every(({ state }) => state.isOpen)).toBe(true);
});

test('a call under way is not cut: the youngest is, where all have one', () => {
  const gate = newGate(2);
  const three = [connection(gate), connection(gate), connection(gate)];
  for (const each of three) each.of()?.begin();
  afterGrace();
  expect(three.map(({ state }) => state.isOpen)).toEqual([true, true, false]);
  three[1]?.of()?.end();
  const young = connection(gate);
  afterGrace();
  expect(young.state.isOpen).toBe(true);
  expect(three.map(({ state }) => state.isOpen)).toEqual([true, false, false]);
});

test('IPv6 is counted by /64; a trusted proxy is not counted', () => {
  const gate = newGate(1);
  const [first, second, elsewhere] = ['2001:db8::1', '2001:db8::2', '2001:db8:0:1::1'].map((ip) =>
    connection(gate, ip),
  );
  afterGrace();
  expect([first, second, elsewhere].map((each) => each?.state.isOpen)).toEqual([false, true, true]);
  const proxied = Array.from({ length: 10 }, () => connection(gate, '::ffff:10.0.0.1'));
  afterGrace();
  expect(proxied.every(({ state }) => state.isOpen)).toBe(true);
});

test('a handshake that is not complete in time is cut, a trusted proxy’s too', () => {
  const gate = newGate(10, { handshakeMs: 5_000 });
  const [silent, proxied, greeted] = [connection(gate), connection(gate, '10.0.0.1'), connection(gate)];
  greeted.of()?.greeted();
  vi.advanceTimersByTime(4_999);
  expect(silent.state.isOpen).toBe(true);
  vi.advanceTimersByTime(1);
  expect([silent, proxied, greeted].map(({ state }) => state.isOpen)).toEqual([false, false, true]);
});
