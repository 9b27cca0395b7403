// RFC 4475, message by message: what this reader accepts with which values, and what it refuses. `parseMessage` refuses what cannot be cut
// safely; `faultOf` finds what must not be acted on.
import { describe, expect, test } from 'vitest';
import { parseChallenges } from '../../../src/sip/digest.ts';
import { faultOf } from '../../../src/sip/fault.ts';
import { Framer } from '../../../src/sip/framing.ts';
import {
  header,
  parseCSeq,
  parseNameAddr,
  parseSessionExpires,
  parseVia,
  retryAfterOf,
  tagOf,
  values,
} from '../../../src/sip/headers.ts';
import { parseMessage, type SipMessage } from '../../../src/sip/message.ts';
import { parseAnswer } from '../../../src/sip/sdp.ts';
import { parseUri } from '../../../src/sip/uri.ts';
import { invalid } from './torture-invalid.ts';
import { meaning } from './torture-meaning.ts';
import { valid } from './torture-valid.ts';

const latin1 = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');

/** A message that can be acted on. Its body must be as long as it says. */
function accepted(octets: Buffer): SipMessage {
  const message = parseMessage(octets);
  if (message === null) throw new Error('refused');
  expect(faultOf(message)).toBeNull();
  const [length = String(message.body.length)] = message.headers.get('content-length') ?? [];
  expect(message.body.length).toBe(Number(length));
  return message;
}

function faultIn(octets: Buffer): string | null {
  const message = parseMessage(octets);
  if (message === null) throw new Error('refused');
  return faultOf(message);
}

const uriOf = (message: SipMessage) => parseUri(message.uri ?? '');
const addressOf = (message: SipMessage, name: string) => parseNameAddr(header(message, name));
const viaOf = (message: SipMessage) => parseVia(header(message, 'via'));
const all = { ...valid, ...invalid, ...meaning };

test.each(Object.entries(all))('%s: nothing is changed, and a stream gives the same message', (_, octets) => {
  const before = Buffer.from(octets);
  const message = parseMessage(octets);
  expect(octets.equals(before)).toBe(true);
  const [framed] = new Framer().push(octets);
  if (framed && message?.headers.has('content-length')) expect(parseMessage(framed)).toEqual(message);
});

describe('3.1.1 valid', () => {
  test('wsinv: folds, blanks, compact forms, leading zeros', () => {
    const message = accepted(valid.wsinv);
    expect(message.method).toBe('INVITE');
    expect(uriOf(message)).toMatchObject({ user: 'vivekg', host: 'chair-dnrc.example.com' });
    expect(uriOf(message)?.parameters.get('unknownparam')).toBe('');
    expect(tagOf(header(message, 'to'))).toBe('1918181833n');
    expect(addressOf(message, 'from')?.display).toBe('J Rosenberg \\"');
    expect(tagOf(header(message, 'from'))).toBe('98asjd8');
    expect(parseCSeq(header(message, 'cseq'))).toEqual({ number: 9, method: 'INVITE' });
    expect(header(message, 'max-forwards')).toBe('0068');
    expect(message.headers.get('subject')).toEqual(['']);
    expect(header(message, 'newfangledheader')).toBe('newfangled value continued newfangled value');
    expect(header(message, 'unknownheaderwithunusualvalue')).toBe(';;,,;;,;');
    const vias = values(message, 'via').map(parseVia);
    expect(vias.map((via) => [via?.transport, via?.host, via?.branch])).toEqual([
      ['UDP', '192.0.2.2', '390skdjuw'],
      ['TCP', 'spindle.example.com', 'z9hG4bK9ikj8'],
      ['UDP', '192.168.255.111', 'z9hG4bK30239'],
    ]);
    const contact = addressOf(message, 'contact');
    expect(contact).toMatchObject({ display: 'Quoted string ""', uri: 'sip:jdrosen@example.com' });
    expect([...(contact?.parameters ?? [])]).toEqual([
      ['newparam', 'newvalue'],
      ['secondparam', ''],
      ['q', '0.33'],
    ]);
    const [route = ''] = values(message, 'route');
    expect(parseUri(parseNameAddr(route)?.uri ?? '')?.parameters.get('unknownwith')).toBe('value');
    expect(parseAnswer(message.body)).toMatchObject({ kind: 'ok', answer: { address: '192.0.2.4', port: 49217 } });
  });

  test('intmeth: every character that a token, a URI and a quoted string may have', () => {
    const message = accepted(valid.intmeth);
    const method = "!interesting-Method0123456789_*+`.%indeed'~";
    expect(message.method).toBe(method);
    expect(uriOf(message)).toMatchObject({
      user: "1_unusual.URI~(to-be!sure)&isn't+it$/crazy?,/;;*",
      host: 'example.com',
    });
    expect(viaOf(message)?.branch).toBe("z9hG4bK-.!%66*_+`'~");
    expect(addressOf(message, 'to')?.display).toBe('BEL:\x07 NUL:\0 DEL:\x7f');
    const from = addressOf(message, 'from');
    expect(from).toMatchObject({ display: "token1~` token2'+_ token3*%!.-", uri: 'sip:mundane@example.com' });
    expect(from?.parameters.get("fromparam''~+*_!.-%")).toBe(latin1('работающий'));
    expect(from?.parameters.get('tag')).toBe("_token~1'+`*%!-.");
    expect(header(message, 'call-id')).toBe('intmeth.word%ZK-!.*_+\'@word`~)(><:\\/"][?}{');
    expect(parseCSeq(header(message, 'cseq'))).toEqual({ number: 139122385, method });
    expect(header(message, "extensionheader-!.%*+_`'~")).toBe(latin1('\ufeff大停電'));
  });

  test('esc01: escapes in a user are undone', () => {
    const message = accepted(valid.esc01);
    expect(uriOf(message)).toMatchObject({ scheme: 'sip', user: 'sips:user@example.com', host: 'example.net' });
    expect(parseUri(addressOf(message, 'to')?.uri ?? '')?.user).toBe('user');
    expect(parseUri(addressOf(message, 'from')?.uri ?? '')?.user).toBe('I have spaces');
    const contact = parseUri(addressOf(message, 'contact')?.uri ?? '');
    expect(contact?.user).toBe('caller');
    expect([...(contact?.parameters ?? [])]).toEqual([
      ['lr', ''],
      ['name', 'value%41'],
    ]);
  });

  test('escnull: an escaped NUL is a character', () => {
    const contacts = values(accepted(valid.escnull), 'contact');
    expect(contacts.map((contact) => parseUri(parseNameAddr(contact)?.uri ?? '')?.user)).toEqual(['\0', '\0\0']);
  });

  test('esc02: a percent sign in a method, a display name and a header name is no escape', () => {
    const message = accepted(valid.esc02);
    expect(message.method).toBe('RE%47IST%45R');
    expect(addressOf(message, 'to')?.display).toBe('%Z%45');
    expect(viaOf(message)?.branch).toBe('z9hG4bK209%fzsnel234');
    expect(message.headers.get('contact')).toHaveLength(2);
    expect(message.headers.get('c%6fntact')).toHaveLength(1);
  });

  test('lwsdisp: no blank before <', () => {
    expect(addressOf(accepted(valid.lwsdisp), 'from')).toMatchObject({
      display: 'caller',
      uri: 'sip:caller@example.com',
    });
  });

  test('longreq: long values and 34 Vias', () => {
    const message = accepted(valid.longreq);
    const vias = values(message, 'via').map(parseVia);
    expect(vias).toHaveLength(34);
    expect(vias.every((via) => via?.transport === 'TCP')).toBe(true);
    expect(vias[33]?.parameters.get('received')).toBe('192.0.2.5');
    expect(header(message, 'call-id')).toHaveLength(141);
    expect(tagOf(header(message, 'from'))).toMatch(/^1(298)+2424$/);
    expect(addressOf(message, 'to')?.display).toMatch(/^I have a user name of (extreme)+ proportion$/);
  });

  test('dblreq: a datagram holds one message, a stream both', () => {
    expect(accepted(valid.dblreq)).toMatchObject({ method: 'REGISTER', body: '' });
    const framer = new Framer();
    const messages = framer.push(valid.dblreq).map((octets) => parseMessage(octets)?.method);
    expect(messages).toEqual(['REGISTER', 'INVITE']);
    // The body of the second one is three octets longer than it says: what is left begins with "C".
    expect(framer.broken).toBe('not_sip');
  });

  test('semiuri: what precedes the @ is the user, semicolon and all', () => {
    const message = accepted(valid.semiuri);
    expect(uriOf(message)).toMatchObject({ user: 'user;par=u@example.net', host: 'example.com' });
    expect(uriOf(message)?.parameters.size).toBe(0);
    expect(values(message, 'accept')).toHaveLength(6);
  });

  test('transports: unknown ones, too', () => {
    const transports = values(accepted(valid.transports), 'via').map((via) => parseVia(via)?.transport);
    expect(transports).toEqual(['UDP', 'SCTP', 'TLS', 'UNKNOWN', 'TCP']);
  });

  test('unreason, noreason: any reason phrase, and none', () => {
    expect(accepted(valid.unreason)).toMatchObject({ status: 200, method: null, uri: null });
    expect(accepted(valid.unreason).reason).toBe(latin1('= 2**3 * 5**2 но сто девяносто девять - простое'));
    expect(accepted(valid.noreason)).toMatchObject({ status: 100, reason: '' });
  });
});

describe('3.1.2 invalid', () => {
  test.each(['clerr', 'ncl', 'lwsruri', 'badvers', 'bigcode'] as const)('%s: refused', (name) => {
    expect(parseMessage(invalid[name])).toBeNull();
  });

  test.each([
    ['scalar02', 'Unreadable cseq'],
    ['scalarlg', 'Unreadable cseq'],
    ['quotbal', 'Unreadable to'],
    ['baddn', 'Unreadable from'],
    ['mismatch01', 'CSeq of another method'],
    ['mismatch02', 'CSeq of another method'],
  ] as const)('%s: %s', (name, fault) => {
    expect(faultIn(invalid[name])).toBe(fault);
  });

  test('badinv01: separators without values are passed over', () => {
    const message = accepted(invalid.badinv01);
    expect(viaOf(message)).toMatchObject({ host: '192.0.2.15', branch: null });
    expect(values(message, 'via')).toHaveLength(2);
    expect(addressOf(message, 'contact')).toMatchObject({ display: 'Joe', uri: 'sip:joe@example.org' });
  });

  test('scalarlg: a number without limit is none', () => {
    const message = parseMessage(invalid.scalarlg)!;
    expect(message.status).toBe(503);
    expect(retryAfterOf(message)).toBeNull();
    expect(parseSessionExpires(header(message, 'retry-after'))).toBeNull();
  });

  test('ltgtruri, escruri: the message is read; its URI is none, or has headers that are ignored', () => {
    expect(uriOf(accepted(invalid.ltgtruri))).toBeNull();
    expect(uriOf(accepted(invalid.escruri))).toMatchObject({ user: 'user', host: 'example.com' });
  });

  test('lwsstart, trws: blanks around the parts of a start line are tolerated', () => {
    expect(accepted(invalid.lwsstart)).toMatchObject({ method: 'INVITE', uri: 'sip:user@example.com' });
    expect(accepted(invalid.trws)).toMatchObject({ method: 'OPTIONS', uri: 'sip:remote-target@example.com' });
  });

  test('baddate: Date is not read', () => {
    expect(header(accepted(invalid.baddate), 'date')).toBe('Fri, 01 Jan 2010 16:00:00 EST');
  });

  test('regbadct: a URI with headers needs <>', () => {
    expect(addressOf(accepted(invalid.regbadct), 'contact')).toBeNull();
  });

  test('badaspec: blanks inside of <> are tolerated', () => {
    expect(addressOf(accepted(invalid.badaspec), 'to')).toMatchObject({ uri: 'sip:t.watson@example.org' });
  });
});

describe('3.2 to 3.4 meaning', () => {
  test('badbranch: the cookie alone is a branch', () => {
    expect(viaOf(accepted(meaning.badbranch))?.branch).toBe('z9hG4bK');
  });

  test('insuf, multi01: every message has one Call-ID, CSeq, From and To', () => {
    expect(faultIn(meaning.insuf)).toBe('Missing call-id');
    expect(faultIn(meaning.multi01)).toBe('Several call-id');
  });

  test('mcl01: two lengths are none', () => {
    expect(parseMessage(meaning.mcl01)).toBeNull();
    const framer = new Framer();
    expect(framer.push(meaning.mcl01)).toEqual([]);
    expect(framer.broken).toBe('content_length');
  });

  test('unkscm, novelsc: a URI of an unknown scheme is none of ours', () => {
    expect(uriOf(accepted(meaning.unkscm))).toBeNull();
    expect(uriOf(accepted(meaning.novelsc))).toBeNull();
  });

  test('unksm2: an address may have any scheme', () => {
    const message = accepted(meaning.unksm2);
    expect(addressOf(message, 'to')?.uri).toBe('isbn:2983792873');
    expect(addressOf(message, 'from')?.uri).toBe('http://www.example.com');
    expect(addressOf(message, 'contact')?.uri).toBe('name:John_Smith');
  });

  test('bext01: what is required can be listed', () => {
    const message = accepted(meaning.bext01);
    expect(values(message, 'require')).toEqual(['nothingSupportsThis', 'nothingSupportsThisEither']);
  });

  test('invut: a body of another type is no SDP', () => {
    const message = accepted(meaning.invut);
    expect(parseAnswer(message.body)).toEqual({ kind: 'no_audio', reason: 'unreadable' });
  });

  test('regaut01: an unknown scheme is no challenge', () => {
    const message = accepted(meaning.regaut01);
    expect(parseChallenges(message.headers.get('authorization') ?? [])).toEqual([]);
  });

  test('bcast: the caller sees from the second Via that the answer is not its own', () => {
    const vias = values(accepted(meaning.bcast), 'via').map(parseVia);
    expect(vias.map((via) => via?.host)).toEqual(['192.0.2.198', '255.255.255.255']);
  });

  test('zeromf: no hop is left for a proxy, an endpoint takes it', () => {
    expect(header(accepted(meaning.zeromf), 'max-forwards')).toBe('0');
  });

  test('cparam01, cparam02: without <> a parameter is of the header, inside of them of the URI', () => {
    const [bare, enclosed] = [meaning.cparam01, meaning.cparam02].map((octets) =>
      addressOf(accepted(octets), 'contact'),
    );
    expect(bare?.uri).toBe('sip:+19725552222@gw1.example.net');
    expect(bare?.parameters.get('unknownparam')).toBe('');
    expect(enclosed?.parameters.size).toBe(0);
    expect(parseUri(enclosed?.uri ?? '')?.parameters.get('unknownparam')).toBe('');
  });

  test('regescrt: inside of <> a URI may have headers', () => {
    expect(addressOf(accepted(meaning.regescrt), 'contact')?.uri).toBe(
      'sip:user@example.com?Route=%3Csip:sip.example.com%3E',
    );
  });

  test('sdp01: the offer is read, whatever answer is accepted', () => {
    expect(parseAnswer(accepted(meaning.sdp01).body)).toMatchObject({ kind: 'ok', answer: { codec: 'PCMU' } });
  });

  test('inv2543: no branch, no tag, no Max-Forwards, no Content-Length', () => {
    const message = accepted(meaning.inv2543);
    expect(viaOf(message)).toMatchObject({ host: 'iftgw.example.com', branch: null });
    expect(tagOf(header(message, 'from'))).toBeNull();
    expect(addressOf(message, 'to')?.parameters.get('user')).toBe('phone');
    expect(message.body).toMatch(/^v=0\r\n[\s\S]*m=audio 49217 RTP\/AVP 0\r\n$/);
  });
});
