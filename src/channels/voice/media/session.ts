// The sound of one call, both ways, without a socket: frames of the clock go out, packets come in, and what the call has to know of
// them comes out as events.

import { isIP } from 'node:net';
import { type MediaTarget, shortForm } from '../../../sip/index.ts';
import type { Bank, Clip } from '../clip.ts';
import { frameMs } from './clock.ts';
import { type Received, Receiver } from './receiver.ts';
import { isRtcp, parseReport, reportEveryMs, writeReport } from './rtcp.ts';
import { frameSamples, Sender } from './sender.ts';
import type { Address } from './source.ts';

/** How long no packet may come from the peer, ms, while the call is up, not on hold and not one way: after that the call counts as dead. */
export const mediaLostMs = 20_000;
const framesPerReport = reportEveryMs / frameMs;

export type SessionEvent =
  | { kind: 'key'; digit: string }
  /** The last sample of the list with this token was sent. */
  | { kind: 'played'; token: number }
  /** Nothing came for 20 s. `dropped`: packets from addresses that are not the peer's; many of them speak of a wrong address in the SDP. */
  | { kind: 'media_lost'; dropped: number };

export interface SessionOptions {
  bank: Bank;
  mediaLostMs?: number;
  random(octets: number): Buffer;
  /** Unix ms, for the reports. */
  date(): number;
  /** Unix ms may be set while a call is up; the clock's time, ms, may not. */
  now(): number;
  send(packet: Buffer, to: Address): void;
  sendReport(packet: Buffer, to: Address): void;
  onEvent(event: SessionEvent): void;
}

/** Whether nothing is expected of the peer. */
const isSilent = ({ held, mute }: MediaTarget): boolean => held || mute;

export class Session {
  readonly #options: SessionOptions;
  readonly #sender: Sender;
  readonly #receiver = new Receiver();
  readonly #cname: string;
  #target: MediaTarget | null = null;
  /** Where the peer's reports come from. */
  #reportsFrom: Address | null = null;
  #peerReport: { ntp: number; at: number } | null = null;
  /** When the peer was last heard, or was last not expected to be. */
  #heardAt = 0;
  #isLost = false;
  #framesToReport = framesPerReport;
  #strangers = 0;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#sender = new Sender({ bank: options.bank, random: options.random });
    // A name of its own for each call: RFC 7022 section 4.2.
    this.#cname = options.random(12).toString('base64');
  }

  /** The answer, or a later offer, of the peer. Packets go out from now on, to where the peer is. */
  connect(target: MediaTarget): void {
    if (this.#target === null || isSilent(this.#target)) this.#heardAt = this.#options.now();
    this.#target = target;
    this.#receiver.expect(target);
    // 0.0.0.0 is a hold of RFC 2543; a name is not resolved here: the peer is where it sends from, then.
    const isAddress = isIP(target.address) !== 0 && !/^[0.:]+$|%/.test(target.address);
    // An SDP may have an IPv6 address in capitals or in full, and packets are told by the address that the socket reports.
    if (isAddress && target.port > 0)
      this.#receiver.peer.signal({ address: shortForm(target.address), port: target.port });
  }

  say(clips: readonly Clip[], token: number): void {
    this.#sender.say(clips, token);
  }

  finishPhrase(): void {
    this.#sender.finishPhrase();
  }

  /** True: a packet was sent. */
  frame(now: number): boolean {
    const [target, to] = [this.#target, this.#receiver.peer.current];
    if (target === null) return false;
    if (isSilent(target)) this.#heardAt = now;
    else if (now - this.#heardAt >= (this.#options.mediaLostMs ?? mediaLostMs)) this.#lose();
    if (to === null) return false;
    this.#framesToReport -= 1;
    if (this.#framesToReport === 0) this.#report(to, now, false);
    const { packet, played } = this.#sender.next(target, target.held);
    this.#options.send(packet, to);
    if (played !== null) this.#options.onEvent({ kind: 'played', token: played });
    return true;
  }

  skip(frames: number): void {
    if (this.#target !== null) this.#sender.skip(frames);
    // While this thread stood still, nothing was read: it is the peer's silence only from now on.
    this.#heardAt = this.#options.now();
    this.#receiver.peer.stoodStill(this.#heardAt);
  }

  /** A datagram on the RTP port. What comes before the answer is ringing tones. */
  rtp(octets: Buffer, from: Address, now: number): Received['kind'] | 'ignored' {
    if (isRtcp(octets)) this.rtcp(octets, from, now);
    if (isRtcp(octets) || this.#target === null) return 'ignored';
    const received = this.#receiver.take(octets, from, now);
    if (received.kind === 'stranger') this.#strangers += 1;
    if (received.kind === 'key') this.#options.onEvent(received);
    if (received.kind === 'key' || received.kind === 'audio') this.#heardAt = now;
    return received.kind;
  }

  /** A datagram on the RTCP port. Only the peer's reports count, and they decide nothing but where ours go. */
  rtcp(octets: Buffer, from: Address, now: number): void {
    const peer = this.#receiver.peer.current;
    if (peer === null || from.address !== peer.address) return;
    const report = parseReport(octets);
    if (report === null || report === 'none' || report.ssrc !== this.#receiver.ssrc) return;
    this.#reportsFrom = from;
    this.#peerReport = { ntp: report.ntp, at: now };
  }

  /** Says goodbye to the peer; nothing is sent afterwards. */
  close(): void {
    const to = this.#receiver.peer.current;
    if (this.#target !== null && to !== null && this.#sender.packets > 0) this.#report(to, this.#options.now(), true);
    this.#target = null;
  }

  #lose(): void {
    if (this.#isLost) return;
    this.#isLost = true;
    this.#options.onEvent({ kind: 'media_lost', dropped: this.#strangers });
  }

  #report(peer: Address, now: number, bye: boolean): void {
    this.#framesToReport = framesPerReport;
    const { ssrc, timestamp, packets } = this.#sender;
    const block = this.#receiver.block();
    const last = this.#peerReport;
    const heard = { lastReport: last?.ntp ?? 0, sinceLastReport: last ? (now - last.at) * 65.536 : 0 };
    const report = writeReport({
      ssrc,
      cname: this.#cname,
      at: this.#options.date(),
      timestamp,
      packets,
      octets: packets * frameSamples,
      block: block && Object.assign(block, heard),
      bye,
    });
    const isPeer = this.#reportsFrom?.address === peer.address;
    const to = isPeer && this.#reportsFrom ? this.#reportsFrom : { address: peer.address, port: peer.port + 1 };
    if (to.port <= 0xffff) this.#options.sendReport(report, to);
  }
}
