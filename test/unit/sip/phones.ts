// A small model of what stands behind a trunk: a proxy and the phones that ring in parallel behind one INVITE, each of which may answer,
// refuse and hang up, and which repeat what must arrive as RFC 3261 asks. It knows nothing of the code it is the counterpart of.
import { header, parseCSeq, tagOf } from '../../../src/sip/headers.ts';
import type { SipMessage } from '../../../src/sip/message.ts';
import { answerText, sdpOf, type Words } from './callee.ts';

interface Phone {
  readonly tag: string;
  state: 'idle' | 'ringing' | 'up' | 'down';
  /** Its 200 was acknowledged: now it may ask. */
  isAcknowledged: boolean;
  number: number;
}

interface Repeated {
  readonly key: string;
  readonly text: string;
  at: number;
  waitMs: number;
  readonly endsAt: number;
}

export type PhoneAct = 'trying' | 'ring' | 'answer' | 'reject' | 'bye' | 'reinvite' | 'update';

/** From the first 200 until the proxy's CANCEL has reached the other phones, though its first two copies are lost (timer E). */
const CANCEL_TAKES_MS = 1_500;

export class Phones {
  /** Text on its way to the caller. */
  readonly out: string[] = [];
  readonly phones: Phone[];
  /** What was repeated for 32 s (64 * T1) in vain: 200s without an ACK, requests without an answer. */
  readonly givenUp: string[] = [];
  readonly #answerWords: Words;
  #invite: SipMessage | null = null;
  #last: string | null = null;
  #isCanceled = false;
  #hasFailed = false;
  /**
   * When the phones beside the one that answered stop: the proxy cancels them as it passes on the first 200, whether or not the caller
   * acknowledges it (section 16.7, steps 5 and 10), and passes on no failure after it. Null before a phone has answered.
   */
  #othersStopAt: number | null = null;
  #repeated: Repeated[] = [];
  #branch = 0;

  constructor(count: number, answerWords: Words = {}) {
    this.#answerWords = answerWords;
    this.phones = Array.from({ length: count }, (_, index): Phone => {
      return { tag: `phone${index}`, state: 'idle', isAcknowledged: false, number: 10 };
    });
  }

  #send(text: string, key: string | null, now: number): void {
    this.out.push(text);
    if (key !== null) this.#repeated.push({ key, text, at: now + 500, waitMs: 500, endsAt: now + 32_000 });
  }

  #arrived(key: string): void {
    this.#repeated = this.#repeated.filter((each) => each.key !== key);
  }

  #phone(tag: string | null): Phone | undefined {
    return this.phones.find((phone) => phone.tag === tag);
  }

  act(kind: PhoneAct, index: number, now: number): void {
    const phone = this.phones[index % this.phones.length]!;
    const isPending = this.#invite !== null && !this.#hasFailed && !this.#isCanceled;
    if (kind === 'trying' && isPending) this.#provisional(100, phone);
    const isFree = isPending && (phone.state === 'idle' || phone.state === 'ringing');
    if (kind === 'ring' && isFree) {
      phone.state = 'ringing';
      this.#provisional(180, phone);
    }
    if (kind === 'answer' && isFree) {
      phone.state = 'up';
      this.#othersStopAt ??= now + CANCEL_TAKES_MS;
      const words = { ...this.#answerWords, tag: phone.tag, body: sdpOf() };
      this.#send(answerText(this.#invite!, 200, 'OK', words), `200 ${phone.tag}`, now);
    }
    if (kind === 'reject' && isFree) {
      phone.state = 'down';
      if (this.#othersStopAt === null && this.phones.every(({ state }) => state === 'down')) this.#fail(486, now);
    }
    if (phone.state !== 'up' || !phone.isAcknowledged) return;
    if (kind === 'bye') {
      phone.state = 'down';
      this.#ask(phone, 'BYE', '', now);
    }
    if (kind === 'reinvite')
      this.#ask(phone, 'INVITE', sdpOf({ version: phone.number, port: 5_000 + phone.number }), now);
    if (kind === 'update') this.#ask(phone, 'UPDATE', '', now);
  }

  #provisional(status: number, phone: Phone): void {
    this.#last = answerText(this.#invite!, status, 'Wait', { tag: phone.tag });
    this.out.push(this.#last);
  }

  #fail(status: number, now: number): void {
    this.#hasFailed = true;
    this.#last = answerText(this.#invite!, status, 'No', { tag: 'proxy' });
    this.#send(this.#last, 'failure', now);
  }

  #ask(phone: Phone, method: string, body: string, now: number): void {
    phone.number += 1;
    this.#branch += 1;
    const lines = [
      `${method} sip:ramz@192.0.2.1:5060 SIP/2.0`,
      `Via: SIP/2.0/UDP 198.51.100.7;branch=z9hG4bKphone${this.#branch}`,
      `From: ${header(this.#invite!, 'to')};tag=${phone.tag}`,
      `To: ${header(this.#invite!, 'from')}`,
      `Call-ID: ${header(this.#invite!, 'call-id')}`,
      `CSeq: ${phone.number} ${method}`,
      ...(body === '' ? [] : ['Content-Type: application/sdp']),
      `Content-Length: ${body.length}`,
    ];
    this.#send(`${lines.join('\r\n')}\r\n\r\n${body}`, `${method} ${phone.tag} ${phone.number}`, now);
  }

  take(message: SipMessage, now: number): void {
    const cseq = parseCSeq(header(message, 'cseq'))!;
    if (message.method === null) {
      const tag = tagOf(header(message, 'from'));
      if (message.status < 200) return;
      this.#arrived(`${cseq.method} ${tag} ${cseq.number}`);
      if (cseq.method === 'INVITE') this.out.push(this.#ackOf(message, cseq.number));
      return;
    }
    const phone = this.#phone(tagOf(header(message, 'to')));
    if (message.method === 'INVITE' && !phone) this.#takeInvite(message);
    else if (message.method === 'CANCEL') this.#takeCancel(message, now);
    else if (message.method === 'ACK') this.#takeAck(phone);
    else this.#takeInside(message, phone);
  }

  #takeInvite(message: SipMessage): void {
    if (this.#invite === null) this.#invite = message;
    else if (this.#last !== null) this.out.push(this.#last);
  }

  /** A CANCEL that comes before its INVITE cancels nothing. Every phone that did not answer stops ringing. */
  #takeCancel(message: SipMessage, now: number): void {
    this.out.push(answerText(message, this.#invite === null ? 481 : 200, 'Canceled', { tag: 'proxy' }));
    if (this.#invite === null || this.#isCanceled || this.#hasFailed) return;
    this.#isCanceled = true;
    this.#stopUnanswered();
    if (this.#othersStopAt === null) this.#fail(487, now);
  }

  #stopUnanswered(): void {
    for (const phone of this.phones) if (phone.state !== 'up') phone.state = 'down';
  }

  #takeAck(phone: Phone | undefined): void {
    if (!phone) {
      this.#arrived('failure');
      return;
    }
    this.#arrived(`200 ${phone.tag}`);
    phone.isAcknowledged = true;
  }

  #takeInside(message: SipMessage, phone: Phone | undefined): void {
    const isBye = message.method === 'BYE';
    const isKnown = phone?.state === 'up' || (isBye && phone !== undefined);
    if (isBye && phone) {
      phone.state = 'down';
      this.#arrived(`200 ${phone.tag}`);
    }
    const body = message.method === 'INVITE' ? sdpOf() : '';
    this.out.push(answerText(message, isKnown ? 200 : 481, 'Well', { body }));
  }

  #ackOf(answer: SipMessage, number: number): string {
    this.#branch += 1;
    return [
      'ACK sip:ramz@192.0.2.1:5060 SIP/2.0',
      `Via: SIP/2.0/UDP 198.51.100.7;branch=z9hG4bKphone${this.#branch}`,
      `From: ${header(answer, 'from')}`,
      `To: ${header(answer, 'to')}`,
      `Call-ID: ${header(answer, 'call-id')}`,
      `CSeq: ${number} ACK`,
      'Content-Length: 0',
      '',
      '',
    ].join('\r\n');
  }

  tick(now: number): void {
    if (this.#othersStopAt !== null && now >= this.#othersStopAt) {
      this.#othersStopAt = Number.POSITIVE_INFINITY;
      this.#stopUnanswered();
    }
    for (const each of [...this.#repeated]) {
      if (now >= each.endsAt) this.#giveUp(each);
      else if (now >= each.at) {
        this.out.push(each.text);
        each.waitMs = Math.min(each.waitMs * 2, 4_000);
        each.at = now + each.waitMs;
      }
    }
  }

  /** An answer that nobody acknowledged, or a request that nobody answered, ends the call of its phone. */
  #giveUp({ key }: Repeated): void {
    this.#arrived(key);
    this.givenUp.push(key);
    const phone = this.#phone(key.split(' ')[1] ?? '');
    if (phone) phone.state = 'down';
  }

  nextAt(): number {
    return Math.min(
      this.#othersStopAt ?? Number.POSITIVE_INFINITY,
      ...this.#repeated.flatMap(({ at, endsAt }) => [at, endsAt]),
    );
  }
}
