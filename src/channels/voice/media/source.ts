// The peer's address: where its packets come from, which is where ours go (symmetric RTP, RFC 4961). Phones behind NAT send from other
// addresses than their SDP says, and strangers send to our ports; these rules let the first in and keep the second out.
//
// 1. The address and port of the SDP are the peer's from their first packet on, at any time, and then ours go there.
// 2. Until a packet of the peer has come, others are taken for it on probation: the SDP's address with another port after 2 packets in
//    sequence, any other address after 5, and that only where the SDP's address is a private one, the sign of a phone behind NAT.
// 3. Afterwards the peer may move only when it has been silent for a second: with its own SSRC and the sequence going on after 2
//    packets (who has not seen the stream would have to guess 32 bits), else from an address that is known, with another port, after 5.
// What is not taken is dropped: a stranger neither hears the code nor presses keys.

import { BlockList, isIPv6 } from 'node:net';

export interface Address {
  address: string;
  port: number;
}

/** The part of an RTP packet that tells streams apart. */
export interface StreamMark {
  ssrc: number;
  sequence: number;
}

/** Packets in sequence (RFC 3550 appendix A.1, MIN_SEQUENTIAL) where the address or the SSRC is known, and where neither is. */
export const fewPackets = 2;
export const manyPackets = 5;
/** A peer that was not heard for longer than this, ms, may have moved. */
export const silentMs = 1_000;
/** RFC 3550 appendix A.1, MAX_DROPOUT: a stream that goes on skips no more packets. */
const mostSkipped = 3_000;
/** Streams on probation at once. */
const mostCandidates = 8;

const privateAddresses = new BlockList();
for (const [net, prefix] of [
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['100.64.0.0', 10],
  ['169.254.0.0', 16],
  ['127.0.0.0', 8],
] as const)
  privateAddresses.addSubnet(net, prefix);
privateAddresses.addSubnet('fc00::', 7, 'ipv6');
privateAddresses.addSubnet('fe80::', 10, 'ipv6');
privateAddresses.addAddress('::1', 'ipv6');

const isSame = (a: Address | null, b: Address): boolean => a !== null && a.port === b.port && a.address === b.address;

export class PeerAddress {
  #signalled: Address | null = null;
  #peer: (Address & StreamMark & { heardAt: number }) | null = null;
  /** Where the peer was before the SDP named another address: its last packets come late. */
  #former: Address | null = null;
  readonly #candidates = new Map<string, StreamMark & { count: number }>();

  /** Where our packets go; null before an SDP. */
  get current(): Address | null {
    return this.#peer ?? this.#signalled;
  }

  /** The address of the peer's SDP. One that stays the same keeps what was learned. */
  signal(address: Address): void {
    if (isSame(this.#signalled, address)) return;
    this.#former = this.current;
    this.#signalled = address;
    this.#peer = null;
    this.#candidates.clear();
  }

  /** Whether a packet is the peer's. `now` in ms. */
  accepts(from: Address, mark: StreamMark, now: number): boolean {
    const peer = this.#peer;
    if (peer === null || !isSame(peer, from)) {
      if (!isSame(this.#signalled, from) && !this.#passes(from, mark, now)) return false;
      this.#candidates.clear();
      this.#peer = { address: from.address, port: from.port, ssrc: mark.ssrc, sequence: mark.sequence, heardAt: now };
      return true;
    }
    peer.ssrc = mark.ssrc;
    peer.sequence = mark.sequence;
    peer.heardAt = now;
    return true;
  }

  /** This machine stood still until now: that nothing was read meanwhile says nothing of the peer. */
  stoodStill(now: number): void {
    if (this.#peer !== null) this.#peer.heardAt = now;
  }

  #passes(from: Address, mark: StreamMark, now: number): boolean {
    const needed = this.#packetsNeeded(from, mark, now);
    if (needed === null) return false;
    const key = `${from.address} ${from.port}`;
    const before = this.#candidates.get(key);
    const goesOn = before?.ssrc === mark.ssrc && mark.sequence === ((before.sequence + 1) & 0xffff);
    const count = goesOn ? before.count + 1 : 1;
    this.#candidates.delete(key);
    const [oldest] = this.#candidates.keys();
    if (this.#candidates.size >= mostCandidates && oldest !== undefined) this.#candidates.delete(oldest);
    this.#candidates.set(key, { ssrc: mark.ssrc, sequence: mark.sequence, count });
    return count >= needed;
  }

  /** Null: a packet from there is a stranger's. */
  #packetsNeeded(from: Address, { ssrc, sequence }: StreamMark, now: number): number | null {
    const [signalled, peer] = [this.#signalled, this.#peer];
    if (signalled === null || isSame(this.#former, from)) return null;
    if (peer === null) {
      if (from.address === signalled.address) return fewPackets;
      return isPrivate(signalled.address) ? manyPackets : null;
    }
    if (now - peer.heardAt < silentMs) return null;
    if (ssrc === peer.ssrc && ((sequence - peer.sequence) & 0xffff) < mostSkipped) return fewPackets;
    return from.address === peer.address || from.address === signalled.address ? manyPackets : null;
  }
}

const isPrivate = (address: string): boolean => privateAddresses.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
