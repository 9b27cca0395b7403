// Calls by SIP trunks: the caller behind the channel's seam. It keeps a line for each trunk and the calls under way, and brings what the media
// thread reports to the call that it is about.

import type { TrunkConfig } from '../../config.ts';
import type { EndpointOptions } from '../../sip/index.ts';
import type { Caller, CallListener, CallRequest, EndHow, Placed } from './caller.ts';
import { Line, type LineObserver } from './line.ts';
import type { MediaEvent } from './media/media.ts';
import { type CallMedia, SipCall } from './sip-call.ts';

export interface SipCallerOptions extends LineObserver {
  media: CallMedia;
  /** Our address in the SDP; null = the trunk's `advertise`, else `boundTo` where that is one address, else the one that the trunk is reached from. */
  advertise: string | null;
  /** The address that the sound is bound to; `0.0.0.0` and `::` are all of this machine's of that family. */
  boundTo: string;
  /** Unix ms. */
  now(): number;
  /** For tests: timers of their own, a resolver that asks no network. */
  endpoint?: Partial<EndpointOptions>;
}

export class SipCaller implements Caller {
  readonly #options: SipCallerOptions;
  readonly #lines = new Map<string, Line>();
  /** Lines without a trunk, until their last call is over. */
  readonly #retired = new Set<Line>();
  /** By message. */
  readonly #calls = new Map<string, SipCall>();
  /** The same, by Call-ID. */
  readonly #byCallId = new Map<string, SipCall>();

  constructor(options: SipCallerOptions) {
    this.#options = options;
  }

  async place(request: CallRequest, listener: CallListener): Promise<Placed> {
    const line = this.#lines.get(request.trunk);
    if (!line) return { kind: 'not_placed', why: 'trunk' };
    const { media, advertise, boundTo, now } = this.#options;
    const call: SipCall = new SipCall({
      request,
      trunk: line.config,
      endpoint: line.endpoint,
      media,
      advertise,
      boundTo,
      listener,
      now,
      onOver: () => {
        line.over();
        this.#byCallId.delete(call.callId);
        if (this.#calls.get(request.id) === call) this.#calls.delete(request.id);
      },
    });
    line.began();
    // From here on it can be stopped.
    this.#calls.set(request.id, call);
    this.#byCallId.set(call.callId, call);
    return call.place(await line.isOpen());
  }

  end(id: string, how: EndHow): void {
    this.#calls.get(id)?.end(how);
  }

  /** What the media thread reports of a call. */
  hear(callId: string, event: MediaEvent): void {
    this.#byCallId.get(callId)?.hear(event);
  }

  /** Opens a line for a trunk that is new or whose connection settings have changed; calls under way go on by the old one. */
  connect(config: TrunkConfig): void {
    this.disconnect(config.name);
    this.#lines.set(config.name, new Line(config, this.#options, this.#options.endpoint));
  }

  /** Settings of a trunk that need no other connection. They hold for the next call. */
  configure(config: TrunkConfig): void {
    this.#lines.get(config.name)?.configure(config);
  }

  /** Takes no further calls by the trunk; those under way go on. */
  disconnect(name: string): void {
    const line = this.#lines.get(name);
    this.#lines.delete(name);
    if (!line) return;
    this.#retired.add(line);
    line.retire();
    for (const each of this.#retired) if (each.isClosing) this.#retired.delete(each);
  }

  /** Ends what is left, and closes every port. */
  async close(): Promise<void> {
    const lines = [...this.#lines.values(), ...this.#retired];
    this.#lines.clear();
    await Promise.all(lines.map((line) => line.close()));
  }
}
