// One signalling endpoint towards one trunk: a socket or a connection, the calls and pings that go over it, and one timer for them all.
// It hears the trunk alone. Whatever else knocks at a SIP port gets no answer, and is counted.

import { isIP } from 'node:net';
import { performance } from 'node:perf_hooks';
import {
  callOptions,
  type DropReason,
  type EndpointOptions,
  type OutgoingCall,
  ownSide,
  trunkUri,
} from './endpoint-options.ts';
import { faultOf } from './fault.ts';
import { header } from './headers.ts';
import { answerTarget, markReceived } from './hop.ts';
import { TrunkHosts } from './hosts.ts';
import { defaultPort, type Located } from './locate.ts';
import { parseMessage, type SipMessage } from './message.ts';
import { answerOutside } from './outside.ts';
import { type PingLine, type PingResult, Pings } from './ping.ts';
import { type CallListener, type Line, PlacedCall } from './placed-call.ts';
import { StreamTransport } from './transport/stream.ts';
import {
  type Opened,
  type Reached,
  type Remote,
  remoteKey,
  type Transport,
  type TransportHandler,
} from './transport/transport.ts';
import { UdpTransport } from './transport/udp.ts';
import { phoneUri } from './uri.ts';

export interface EndpointCall {
  readonly callId: string;
  /** Why a host was not reached, in words for a log; null where there is nothing to say. */
  readonly failure: string | null;
  /** Stops ringing, or ends the answered call. Idempotent; `ended` follows. */
  hangUp(): void;
}

export class Endpoint {
  readonly #options: EndpointOptions;
  readonly #transport: Transport;
  readonly #hosts: TrunkHosts;
  readonly #line: Line & PingLine;
  readonly #calls = new Map<string, PlacedCall>();
  readonly #pings: Pings;
  #timer: NodeJS.Timeout | null = null;
  #timerAt = Number.POSITIVE_INFINITY;
  #dropped = 0;
  #closing: Promise<void> | null = null;
  #onOver: () => void = () => {};

  /** @throws when a setting can't be written into a request, or a line of `alsoFrom` is neither an address nor a network. */
  constructor(options: EndpointOptions) {
    const { trunk, transport, local = { host: '', port: 0 }, tls = {} } = options;
    this.#options = options;
    ownSide(options, { address: local.host || '127.0.0.1', port: local.port }, 'ping');
    phoneUri('ping', options.domain || trunk.host);
    this.#hosts = new TrunkHosts(options);
    const handler: TransportHandler = {
      message: (bytes, from) => this.#receive(bytes, from),
      refused: (target) => this.#failed(target, 'refused'),
      lost: (target) => this.#failed(target, 'lost'),
      broken: () => this.#drop('unreadable'),
    };
    this.#transport =
      transport === 'udp'
        ? new UdpTransport(local, handler)
        : new StreamTransport({ local, host: trunk.host, tls: transport === 'tls' ? tls : null }, handler);
    this.#line = {
      reliable: this.#transport.reliable,
      defaultPort: defaultPort(transport),
      now: () => this.#now(),
      arm: (at) => this.#arm(at),
      locate: () => this.#locate(),
      locator: (host, port) => this.#hosts.locator(host, port),
      reach: (target) => this.#reach(target),
      send: (bytes, to, instead) => this.#send(bytes, to, instead),
      markSilent: (target) => this.#hosts.markSilent(target, this.#now()),
      drop: (target) => this.#transport.drop(target),
    };
    this.#pings = new Pings(this.#line);
  }

  /** Messages that came from strangers, could not be read or belonged to nothing. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Takes the port, and finds the trunk so that it is heard; a trunk that is not found yet is no failure. */
  async open(): Promise<Opened> {
    const opened = await this.#transport.open();
    if (opened.kind === 'open') await this.#locate();
    return opened;
  }

  /**
   * Places a call. Events come later than this returns, `ended` exactly once.
   * @throws when a call of that id is going on.
   */
  call(call: OutgoingCall, listener: CallListener): EndpointCall {
    if (this.#calls.get(call.callId)?.isOver === false) throw new Error('a call of this id is going on');
    const makeOptions = (local: Remote) => callOptions(this.#options, call, local);
    const heard: CallListener = (event) => {
      listener(event);
      if (event.kind === 'ended') this.#onOver();
    };
    const line = { ...this.#line, locate: () => this.#locate(call.family) };
    const placed = new PlacedCall(call.callId, makeOptions, heard, line);
    if (this.#closing === null) this.#calls.set(call.callId, placed);
    void placed.begin();
    return {
      callId: call.callId,
      get failure() {
        return placed.failure;
      },
      hangUp: () => placed.hangUp(),
    };
  }

  /**
   * Asks by OPTIONS whether the trunk is there: over UDP all of its hosts, of which one is enough; over a connection one after
   * the other, until one is there. Never rejects.
   */
  async ping(timeoutMs: number): Promise<PingResult> {
    const located = await this.#locate();
    if (located.kind === 'unresolved') return { kind: 'down', why: located.why };
    if (this.#transport.reliable) return this.#pingInTurn(located.targets, timeoutMs);
    const results = located.targets.map((target) => this.#pingOne(target, timeoutMs));
    const up = results.map(async (pending) => {
      const result = await pending;
      if (result.kind === 'down') throw new Error(result.why);
      return result;
    });
    return Promise.any(up).catch(({ errors }: AggregateError) => ({ kind: 'down', why: errors[0].message }));
  }

  async #pingInTurn(targets: readonly Remote[], timeoutMs: number): Promise<PingResult> {
    let result: PingResult = { kind: 'down', why: 'no host' };
    for (const target of targets) {
      result = await this.#pingOne(target, timeoutMs);
      if (result.kind === 'up') return result;
    }
    return result;
  }

  async #pingOne(target: Remote, timeoutMs: number): Promise<PingResult> {
    const reached = await this.#reach(target);
    if (reached.kind === 'unreachable') {
      this.#line.markSilent(target);
      return { kind: 'down', why: reached.why };
    }
    const { via, contact } = ownSide(this.#options, reached.local, 'ping');
    const { t1Ms = 500 } = this.#options;
    const uri = trunkUri(this.#options);
    return this.#pings.send(target, { uri, via, contact, timeoutMs, t1Ms });
  }

  /**
   * Ends every call, waits for the answers, and leaves nothing open. A call without its answer by then ends as `timer`, one that heard
   * nothing at all as `no_answer_at_all`; one placed later as `transport`.
   */
  close(graceMs: number): Promise<void> {
    this.#closing ??= this.#close(graceMs);
    return this.#closing;
  }

  async #close(graceMs: number): Promise<void> {
    this.#pings.fail(null, 'closed');
    for (const call of this.#calls.values()) call.hangUp();
    await this.#allOver(graceMs);
    for (const call of this.#calls.values()) call.abandon();
    this.#calls.clear();
    await this.#transport.close();
    if (this.#timer) clearTimeout(this.#timer);
  }

  #allOver(graceMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, graceMs);
      this.#onOver = () => {
        if ([...this.#calls.values()].some((call) => !call.isOver)) return;
        clearTimeout(timer);
        resolve();
      };
      this.#onOver();
    });
  }

  async #locate(family: number | null = null): Promise<Located> {
    const located = await this.#hosts.locate(this.#now(), (target) => this.#transport.isOpenTo(target));
    if (located.kind === 'unresolved' || family === null) return located;
    const targets = located.targets.filter(({ address }) => isIP(address) === family);
    if (targets.length > 0) return { kind: 'located', targets };
    return {
      kind: 'unresolved',
      why: `${this.#options.trunk.host} has no address of IPv${family}, as the sound needs`,
    };
  }

  async #reach(target: Remote): Promise<Reached> {
    return this.#closing ? { kind: 'unreachable', why: 'closed' } : this.#transport.reach(target);
  }

  #receive(bytes: Buffer, from: Remote): void {
    const isTrunk = this.#hosts.isTrunk(from.address);
    // A keep-alive (RFC 5626 section 3.5.1), or the zeros that some phones send as one.
    if (isTrunk && bytes.every((byte) => byte === 0x0d || byte === 0x0a || byte === 0)) return;
    const message = isTrunk ? parseMessage(bytes) : null;
    if (message === null) {
      this.#drop(isTrunk ? 'unreadable' : 'stranger');
      return;
    }
    this.#hosts.markHeard(from);
    if (message.method === null) this.#takeAnswer(message, from);
    else this.#takeRequest(markReceived(message, from), from);
  }

  #takeAnswer(answer: SipMessage, from: Remote): void {
    const call = this.#calls.get(header(answer, 'call-id'));
    if (faultOf(answer) !== null) this.#drop('unreadable');
    else if (call) call.take(answer, from);
    else if (!this.#pings.take(answer)) this.#drop('unknown_call');
  }

  #takeRequest(request: SipMessage, from: Remote): void {
    const call = this.#calls.get(header(request, 'call-id'));
    if (call && faultOf(request) === null) {
      call.take(request, from);
      return;
    }
    const answer = answerOutside(request);
    const to = this.#transport.reliable ? from : answerTarget(request, this.#line.defaultPort);
    if (answer && to) this.#send(answer, to, to);
  }

  #send(bytes: Buffer, to: Remote, instead: Remote): void {
    this.#hosts.trust(to.address);
    if (this.#transport.send(bytes, to)) return;
    // A connection that is gone is opened again. A host that the trunk named may listen nowhere but on the trunk's own connection.
    void this.#transport.reach(to).then((reached) => {
      if (reached.kind === 'reached') this.#transport.send(bytes, to);
      else if (remoteKey(to) !== remoteKey(instead)) this.#send(bytes, instead, instead);
    });
  }

  /** A datagram was refused, or a connection was lost. */
  #failed(target: Remote, how: 'refused' | 'lost'): void {
    for (const call of this.#calls.values()) call.transportFailed(target, how);
    this.#pings.fail(target, `connection ${how}`);
  }

  #drop(why: DropReason): void {
    this.#dropped += 1;
    this.#options.onDropped?.(why);
  }

  #now(): number {
    return this.#options.now?.() ?? performance.now();
  }

  /** Something is due at that time; null = nothing new. */
  #arm(at: number | null): void {
    if (at === null || at >= this.#timerAt) return;
    if (this.#timer) clearTimeout(this.#timer);
    this.#timerAt = at;
    this.#timer = setTimeout(() => this.#tick(), Math.max(1, Math.ceil(at - this.#now())));
  }

  #tick(): void {
    this.#timer = null;
    this.#timerAt = Number.POSITIVE_INFINITY;
    const now = this.#now();
    for (const [callId, call] of this.#calls) {
      const at = call.nextAt();
      if (at !== null && at <= now) call.tick(now);
      if (call.isForgotten(now)) this.#calls.delete(callId);
      else this.#arm(call.nextAt());
    }
    this.#pings.tick(now);
  }
}
