// A dialog that an answer of ours to be called has made (RFC 3261 section 12): its tags, its route, where its requests go, and the
// numbers that both sides count up. Each branch of a forked INVITE that answers has a dialog of its own.

import { ALLOW, type CallContext } from './call-context.ts';
import type { Request } from './client-transaction.ts';
import { header, parseNameAddr, tagOf, values } from './headers.ts';
import type { SipMessage } from './message.ts';
import { parseUri } from './uri.ts';
import { type HeaderLine, writeRequest } from './writer.ts';

/**
 * Request URI and Route for a target behind a route set (section 12.2.1.1). A first hop without `lr` is a strict router of RFC 2543:
 * it wants its own URI as the request URI, and the target as the last Route.
 */
export function routed(target: string, routes: readonly string[]): { uri: string; routes: readonly string[] } {
  const [first, ...rest] = routes;
  const hop = first === undefined ? '' : (parseNameAddr(first)?.uri ?? '');
  const parsed = parseUri(hop);
  if (parsed === null || parsed.parameters.has('lr')) return { uri: target, routes };
  // A request URI has neither headers nor a method (section 19.1.1, table 1).
  const uri = hop.replace(/\?.*$/, '').replace(/;method=[^;]*/i, '');
  return { uri, routes: [...rest, `<${target}>`] };
}

interface Extra {
  readonly headers?: readonly HeaderLine[];
  readonly body?: string;
}

export class Dialog {
  readonly #context: CallContext;
  /** The To of the answer, with its tag. */
  readonly #remote: string;
  readonly #routes: readonly string[];
  #target: string;
  #localNumber: number;
  #remoteNumber: number | null = null;
  /** ACKs of answers of 200 to 299 by the number of their INVITE: the first one's, and that of the last re-INVITE. */
  readonly #acks = new Map<number, Buffer>();

  /** @param number CSeq of the INVITE that was answered. */
  constructor(context: CallContext, answer: SipMessage, number: number) {
    this.#context = context;
    this.#remote = header(answer, 'to');
    this.#routes = values(answer, 'record-route').reverse();
    this.#target = context.options.uri;
    this.#localNumber = number;
    this.refreshTarget(answer);
  }

  get remoteTag(): string {
    return tagOf(this.#remote) ?? '';
  }

  /** INVITE and UPDATE and their answers may move the target (section 12.2.1.2); the route stays. */
  refreshTarget(message: SipMessage): void {
    const [contact = ''] = values(message, 'contact');
    const uri = parseNameAddr(contact)?.uri;
    if (uri !== undefined) this.#target = uri;
  }

  /** The next request within the dialog, with the credentials that were asked for so far. */
  request(method: string, extra: Extra = {}): Request {
    const { options, localTag, authenticator } = this.#context;
    this.#localNumber += 1;
    const number = this.#localNumber;
    const branch = this.#context.newBranch();
    const { uri, routes } = routed(this.#target, this.#routes);
    const headers: HeaderLine[] = [
      ['Via', `${options.via};branch=${branch}`],
      ['Max-Forwards', '70'],
      ...routes.map((route): HeaderLine => ['Route', route]),
      ['From', `${options.from};tag=${localTag}`],
      ['To', this.#remote],
      ['Call-ID', options.callId],
      ['CSeq', `${number} ${method}`],
      ['Contact', `<${options.contact}>`],
      ['Allow', ALLOW],
      ...authenticator.lines(method, uri),
      ...(extra.headers ?? []),
    ];
    return { method, uri, headers, body: extra.body ?? '', branch, number };
  }

  /**
   * The ACK of an answer of 200 to 299. It is a transaction of its own (section 13.2.2.4), bears the credentials of its INVITE, and
   * is kept for when the answer comes again.
   */
  acknowledge(number: number, credentials: readonly HeaderLine[]): Buffer {
    const { options, localTag } = this.#context;
    const { uri, routes } = routed(this.#target, this.#routes);
    const bytes = writeRequest('ACK', uri, [
      ['Via', `${options.via};branch=${this.#context.newBranch()}`],
      ['Max-Forwards', '70'],
      ...routes.map((route): HeaderLine => ['Route', route]),
      ['From', `${options.from};tag=${localTag}`],
      ['To', this.#remote],
      ['Call-ID', options.callId],
      ['CSeq', `${number} ACK`],
      ...credentials,
    ]);
    const [first, last] = this.#acks.keys();
    if (first !== undefined && last !== undefined) this.#acks.delete(last);
    this.#acks.set(number, bytes);
    return bytes;
  }

  /** The ACK that was sent for the INVITE of this number; null where its answer is new. */
  ackOf(number: number): Buffer | null {
    return this.#acks.get(number) ?? null;
  }

  /** Whether a request from there is in order: its number never goes back (section 12.2.2). */
  isInOrder(number: number): boolean {
    if (this.#remoteNumber !== null && number < this.#remoteNumber) return false;
    this.#remoteNumber = number;
    return true;
  }
}

/** The credentials of a request, which its ACK repeats (section 22.1). */
export const credentialsOf = (request: Request): HeaderLine[] =>
  request.headers.filter(([name]) => /^(?:proxy-)?authorization$/i.test(name));
