// Whose packets are the peer's: phones behind NAT get in, strangers do not.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type Address,
  fewPackets,
  manyPackets,
  PeerAddress,
  silentMs,
} from '../../../../../src/channels/voice/media/source.ts';

const at = (address: string, port = 4_000): Address => ({ address, port });
const publicPeer = at('198.51.100.7');
const privatePeer = at('192.168.1.20');
const stranger = at('203.0.113.66', 5_004);

/** A stream with its own SSRC; `send` says whether each packet was taken for the peer's. */
function stream(peer: PeerAddress, from: Address, ssrc: number, sequence = 100) {
  let next = sequence;
  const send = (count: number, now = 0) =>
    Array.from({ length: count }, () => {
      next += 1;
      return peer.accepts(from, { ssrc, sequence: next & 0xffff }, now);
    });
  return { send, lose: (count: number) => (next += count) };
}

function signalled(address: Address): PeerAddress {
  const peer = new PeerAddress();
  peer.signal(address);
  return peer;
}

describe('before the peer was heard', () => {
  test('the address of the SDP is right at once', () => {
    const peer = signalled(publicPeer);
    expect(peer.current).toEqual(publicPeer);
    expect(stream(peer, publicPeer, 1).send(1)).toEqual([true]);
  });

  test('its other port is right after two packets in sequence', () => {
    const peer = signalled(publicPeer);
    const moved = stream(peer, { ...publicPeer, port: 4_002 }, 1);
    expect(moved.send(1)).toEqual([false]);
    moved.lose(3);
    expect(moved.send(fewPackets)).toEqual([false, true]);
    expect(peer.current).toMatchObject({ ...publicPeer, port: 4_002 });
  });

  test('behind NAT another address is right after five', () => {
    const peer = signalled(privatePeer);
    expect(stream(peer, publicPeer, 1).send(manyPackets)).toEqual([false, false, false, false, true]);
  });

  test.each(['10.1.2.3', '172.16.0.9', '172.31.9.9', '100.64.1.1', '169.254.3.3', '127.0.0.1', 'fd00::1', 'fe80::1'])(
    '%s is a private address',
    (address) => {
      expect(
        stream(signalled(at(address)), stranger, 1)
          .send(manyPackets)
          .at(-1),
      ).toBe(true);
    },
  );

  test.each(['172.32.0.1', '100.128.0.1', '11.0.0.1', '2001:db8::1'])('%s is none: no other is taken', (address) => {
    expect(stream(signalled(at(address)), stranger, 1).send(200)).not.toContain(true);
  });

  test('without an SDP nothing is', () => {
    const peer = new PeerAddress();
    expect(stream(peer, publicPeer, 1).send(20)).not.toContain(true);
    expect(peer.current).toBeNull();
  });

  test('strangers in between do not delay the phone', () => {
    const peer = signalled(privatePeer);
    const phone = stream(peer, publicPeer, 1);
    const others = Array.from({ length: 6 }, (_, index) => stream(peer, at('203.0.113.9', 6_000 + index), index));
    const taken = Array.from({ length: manyPackets }, () => {
      for (const other of others) other.lose(1);
      for (const other of others) other.send(1);
      return phone.send(1)[0];
    });
    expect(taken.at(-1)).toBe(true);
  });
});

describe('once the peer was heard', () => {
  test('no stranger takes its place while it speaks', () => {
    const peer = signalled(publicPeer);
    const phone = stream(peer, publicPeer, 1);
    const other = stream(peer, { ...publicPeer, port: 9 }, 2);
    for (let now = 0; now < 60_000; now += 20) {
      expect(phone.send(1, now)).toEqual([true]);
      expect(other.send(1, now)).toEqual([false]);
    }
    expect(peer.current).toMatchObject(publicPeer);
  });

  test('nor when it is silent: it would have to know the SSRC and where the sequence is', () => {
    const peer = signalled(privatePeer);
    stream(peer, privatePeer, 0xabcdef01).send(3);
    expect(stream(peer, stranger, 77).send(500, 50_000)).not.toContain(true);
    expect(stream(peer, stranger, 0xabcdef01, 30_000).send(500, 50_000)).not.toContain(true);
  });

  test('the peer itself may move after a silence, with its stream going on', () => {
    const peer = signalled(publicPeer);
    stream(peer, publicPeer, 5, 65_530).send(3, 0);
    const moved = stream(peer, stranger, 5, 65_533 - 65_536 + 65_536);
    expect(moved.send(3, silentMs - 1)).toEqual([false, false, false]);
    expect(moved.send(2, silentMs)).toEqual([false, true]);
    expect(peer.current).toMatchObject(stranger);
  });

  test('or from its address with another stream', () => {
    const peer = signalled(publicPeer);
    stream(peer, publicPeer, 5).send(3, 0);
    const other = stream(peer, { ...publicPeer, port: 4_100 }, 6);
    expect(other.send(manyPackets, silentMs).at(-1)).toBe(true);
  });

  test('another SSRC from the same address is the peer: a PBX that puts the call through', () => {
    const peer = signalled(publicPeer);
    stream(peer, publicPeer, 5).send(3);
    expect(stream(peer, publicPeer, 6).send(1)).toEqual([true]);
  });

  test('the address of the SDP takes the call back from another', () => {
    const peer = signalled(privatePeer);
    expect(stream(peer, stranger, 1).send(manyPackets).at(-1)).toBe(true);
    expect(stream(peer, privatePeer, 2).send(1)).toEqual([true]);
    expect(peer.current).toMatchObject(privatePeer);
  });

  test('a stall of this machine is no silence of the peer', () => {
    const peer = signalled(publicPeer);
    stream(peer, publicPeer, 5).send(3, 0);
    peer.stoodStill(5_000);
    expect(stream(peer, { ...publicPeer, port: 9 }, 6).send(20, 5_000)).not.toContain(true);
  });
});

describe('another SDP', () => {
  test('moves the call at once, and late packets from before do not move it back', () => {
    const peer = signalled(publicPeer);
    const before = stream(peer, publicPeer, 1);
    before.send(3);
    peer.signal({ ...publicPeer, port: 8_000 });
    expect(peer.current).toEqual({ ...publicPeer, port: 8_000 });
    expect(before.send(20)).not.toContain(true);
  });

  test('with the same address keeps what was learned', () => {
    const peer = signalled(privatePeer);
    stream(peer, stranger, 1).send(manyPackets);
    peer.signal(privatePeer);
    expect(peer.current).toMatchObject(stranger);
  });
});

test('no stranger gets in beside a peer that speaks from a public address, whatever both send', () => {
  const packet = fc.record({
    ssrc: fc.nat(3),
    sequence: fc.nat(12),
    port: fc.constantFrom(4_000, 4_002),
    waitMs: fc.nat(900),
  });
  fc.assert(
    fc.property(fc.array(packet, { maxLength: 100 }), (packets) => {
      const peer = signalled(publicPeer);
      peer.accepts(publicPeer, { ssrc: 9, sequence: 1 }, 0);
      let now = 0;
      for (const [index, { ssrc, sequence, port, waitMs }] of packets.entries()) {
        expect(peer.accepts(at(stranger.address, port), { ssrc, sequence }, now + waitMs)).toBe(false);
        now += 900;
        expect(peer.accepts(publicPeer, { ssrc: 9, sequence: index + 2 }, now)).toBe(true);
      }
    }),
  );
});
