// Our reader and writer of SIP against those of npm's `sip`, which has seen none of our code: each reads what the other writes.
import { createRequire } from 'node:module';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { authorization, parseChallenges, strongest } from '../../../src/sip/digest.ts';
import { faultOf } from '../../../src/sip/fault.ts';
import { header, parseCSeq, parseNameAddr, parseVia, values } from '../../../src/sip/headers.ts';
import { parseMessage, type SipMessage } from '../../../src/sip/message.ts';
import { parseUri } from '../../../src/sip/uri.ts';
import { type HeaderLine, writeRequest, writeResponse } from '../../../src/sip/writer.ts';
import { invalid } from '../../unit/sip/torture-invalid.ts';
import { meaning } from '../../unit/sip/torture-meaning.ts';
import { valid } from '../../unit/sip/torture-valid.ts';

/** As `sip` has it: values of parameters with their quotes, null for a name alone. */
type Parameters = Record<string, string | null>;
interface Address {
  name?: string | undefined;
  uri: string;
  params: Parameters;
}
interface PeerVia {
  version: string;
  protocol: string;
  host: string;
  port?: number | undefined;
  params: Parameters;
}
interface PeerMessage {
  method?: string;
  uri?: string;
  status?: number;
  reason?: string;
  headers: {
    via: PeerVia[];
    from: Address;
    to: Address;
    contact: Address[];
    'call-id': string;
    cseq: { seq: number; method: string };
    subject: string;
  };
  content?: string;
}
interface PeerUri {
  schema: string;
  user?: string;
  host: string;
  port: number;
  params: Parameters;
}
interface Peer {
  parse(octets: Buffer): PeerMessage | undefined;
  stringify(message: PeerMessage): string;
  parseUri(text: string): PeerUri | undefined;
}
interface PeerDigest {
  challenge(context: object, response: PeerMessage): PeerMessage;
  authenticateRequest(context: object, request: PeerMessage, credentials: object): boolean;
}
const load = createRequire(import.meta.url);
const peer = load('sip') as Peer;
const peerDigest = load('sip/digest') as PeerDigest;

const token = fc.stringMatching(/^[A-Za-z][-A-Za-z0-9.!*_+`'~]{0,12}$/);
const quoted = fc.stringMatching(/^[ !#-[\]-~]{0,12}$/).map((text) => `"${text}"`);
const escaped = fc.constantFrom('"a \\" b"', '"\\\\"', '"a, <b>; c=d"');
const host = fc.oneof(fc.ipV4(), fc.domain());
const port = fc.option(fc.integer({ min: 1, max: 65_535 }), { nil: undefined });
/** Not the names that JavaScript's objects have: `sip` keeps parameters in one. */
const name = token.map((text) => text.toLowerCase()).filter((text) => !(text in {}));
const parameters: fc.Arbitrary<Parameters> = fc
  .array(fc.tuple(name, fc.oneof(token, quoted, escaped, fc.constant(null))), { maxLength: 3 })
  .map((pairs) => Object.fromEntries(pairs));
const uri = fc
  .tuple(
    fc.constantFrom('sip', 'sips'),
    token,
    host,
    port,
    fc.array(fc.constantFrom('lr', 'user=phone', 'transport=tcp')),
  )
  .map(
    ([scheme, user, at, on, more]) =>
      `${scheme}:${user}@${at}${on ? `:${on}` : ''}${[...new Set(more)].map((each) => `;${each}`).join('')}`,
  );
const address = fc.record({
  name: fc.oneof(fc.constant(undefined), token, quoted, escaped),
  uri,
  params: parameters,
});
/** With a branch, as every Via of today has: in a list, `sip` takes the comma behind a bare host for a part of it. */
const via = fc.record({
  version: fc.constant('2.0'),
  protocol: fc.constantFrom('UDP', 'TCP', 'TLS'),
  host,
  port,
  params: parameters.map((params): Parameters => ({ ...params, branch: 'z9hG4bK1' })),
});
const method = token;
const start = fc.oneof(
  fc.record({ method, uri }),
  fc.record({ status: fc.integer({ min: 100, max: 699 }), reason: fc.stringMatching(/^[A-Za-z]{0,9}$/) }),
);
const message: fc.Arbitrary<PeerMessage> = fc
  .tuple(
    start,
    fc.record({
      via: fc.array(via, { minLength: 1, maxLength: 4 }),
      from: address,
      to: address,
      contact: fc.array(address, { minLength: 1, maxLength: 3 }),
      'call-id': fc.stringMatching(/^[A-Za-z0-9]{1,9}@[A-Za-z0-9.]{1,9}$/),
      cseq: fc.record({ seq: fc.integer({ min: 0, max: 2 ** 31 - 1 }), method }),
      subject: fc.stringMatching(/^[!-~][ -~]{0,20}[!-~]$/),
    }),
    fc.stringMatching(/^[\r\n -~]{0,40}$/),
  )
  .map(([line, headers, content]) => {
    const cseq = 'method' in line ? { ...headers.cseq, method: line.method } : headers.cseq;
    return { ...line, headers: { ...headers, cseq }, content };
  });

const unquoted = (text: string | null): string =>
  text?.startsWith('"') ? text.slice(1, -1).replace(/\\(.)/g, '$1') : (text ?? '');
const plain = (params: Parameters) =>
  Object.fromEntries(Object.entries(params).map(([key, value]) => [key, unquoted(value)]));
const named = (text: string | undefined) => unquoted(text ?? '') || null;

/** What a message says, in a form that both readers can be brought to. */
function said(from: PeerMessage) {
  const { via: vias, from: caller, to, contact, cseq, subject, 'call-id': callId } = from.headers;
  const addressOf = (each: Address) => ({ display: named(each.name), uri: each.uri, parameters: plain(each.params) });
  return {
    start: [from.method ?? null, from.uri ?? null, from.status ?? 0, from.reason ?? ''],
    vias: vias.map((each) => [each.protocol, each.host.toLowerCase(), each.port ?? null, plain(each.params)]),
    addresses: [caller, to, ...contact].map(addressOf),
    cseq: [cseq.seq, cseq.method],
    texts: [callId, subject, from.content ?? ''],
  };
}

function saidByUs(from: SipMessage): ReturnType<typeof said> {
  const addresses = [...values(from, 'from'), ...values(from, 'to'), ...values(from, 'contact')].map(parseNameAddr);
  const cseq = parseCSeq(header(from, 'cseq'));
  return {
    start: [from.method, from.uri, from.status, from.reason],
    vias: values(from, 'via').map((value) => {
      const read = parseVia(value);
      return [read!.transport, read!.host.toLowerCase(), read!.port, Object.fromEntries(read!.parameters)];
    }),
    addresses: addresses.map((each) => ({ ...each!, parameters: Object.fromEntries(each!.parameters) })),
    cseq: [cseq!.number, cseq!.method],
    texts: [header(from, 'call-id'), header(from, 'subject'), from.body],
  };
}

const parametersText = (params: Parameters) =>
  Object.entries(params)
    .map(([key, value]) => (value === null ? `;${key}` : `;${key}=${value}`))
    .join('');
const addressText = (each: Address) => `${each.name ?? ''}<${each.uri}>${parametersText(each.params)}`;

/** The message in our own writing, its lists in one line or in several. */
function writtenByUs(from: PeerMessage, isFolded: boolean): Buffer {
  const { via: vias, from: caller, to, contact, cseq, subject, 'call-id': callId } = from.headers;
  const viaTexts = vias.map((each) => {
    const on = each.port === undefined ? '' : `:${each.port}`;
    return `SIP/${each.version}/${each.protocol} ${each.host}${on}${parametersText(each.params)}`;
  });
  const lines: HeaderLine[] = [
    ...(isFolded ? [viaTexts.join(', ')] : viaTexts).map((text) => [isFolded ? 'v' : 'Via', text] as const),
    [isFolded ? 'f' : 'From', addressText(caller)],
    [isFolded ? 't' : 'To', addressText(to)],
    [isFolded ? 'm' : 'Contact', contact.map(addressText).join(', ')],
    [isFolded ? 'i' : 'Call-ID', callId],
    ['CSeq', `${cseq.seq} ${cseq.method}`],
    [isFolded ? 's' : 'Subject', subject],
  ];
  return from.status === undefined
    ? writeRequest(from.method ?? '', from.uri ?? '', lines, from.content)
    : writeResponse(from.status, from.reason ?? '', lines, from.content);
}

describe('messages', () => {
  test('what we write, both read as the same', () => {
    fc.assert(
      fc.property(message, fc.boolean(), (made, isFolded) => {
        const octets = writtenByUs(made, isFolded);
        const theirs = peer.parse(octets);
        expect(theirs && said(theirs)).toEqual(said(made));
        const ours = parseMessage(octets);
        expect(ours && saidByUs(ours)).toEqual(said(made));
      }),
      { numRuns: 3_000 },
    );
  });

  test('what it writes, we read as it was meant', () => {
    fc.assert(
      fc.property(message, (made) => {
        const ours = parseMessage(Buffer.from(peer.stringify(structuredClone(made)), 'latin1'));
        expect(ours && faultOf(ours)).toBeNull();
        expect(ours && saidByUs(ours)).toEqual(said(made));
      }),
      { numRuns: 3_000 },
    );
  });
});

test('URIs are read alike', () => {
  fc.assert(
    fc.property(uri, (text) => {
      const [ours, theirs] = [parseUri(text), peer.parseUri(text)];
      expect(ours).not.toBeNull();
      expect([ours?.scheme, ours?.user, ours?.host, ours?.port ?? Number.NaN]).toEqual([
        theirs?.schema,
        theirs?.user,
        theirs?.host.toLowerCase(),
        theirs?.port,
      ]);
      expect(Object.fromEntries(ours?.parameters ?? [])).toEqual(plain(theirs?.params ?? {}));
    }),
    { numRuns: 2_000 },
  );
});

describe('digests', () => {
  const credentials = { user: 'ramz', password: 'Sésame, ouvre-toi' };

  test.each(['auth', 'auth,auth-int'])('our answers to a challenge with qop="%s" pass, one after the other', (qop) => {
    const context = { realm: 'sip.example', qop, opaque: 'o p' };
    const answer = { status: 401, reason: 'Unauthorized', headers: {} } as PeerMessage;
    const written = parseMessage(Buffer.from(peer.stringify(peerDigest.challenge(context, answer)), 'latin1'));
    const challenge = strongest(parseChallenges(written?.headers.get('www-authenticate') ?? []));
    expect(challenge).toMatchObject({ realm: 'sip.example', algorithm: 'MD5', opaque: 'o p' });
    const passes = (nonceCount: number, password: string) => {
      const input = {
        username: credentials.user,
        password,
        method: 'INVITE',
        uri: 'sip:a@b',
        nonceCount,
        cnonce: 'c0',
      };
      const lines = [['Authorization', authorization(challenge!, input)] as const];
      const request = peer.parse(writeRequest('INVITE', 'sip:a@b', lines));
      return request !== undefined && peerDigest.authenticateRequest(context, request, credentials);
    };
    expect([1, 2, 3].map((count) => passes(count, credentials.password))).toEqual([true, true, true]);
    expect(passes(4, 'wrong')).toBe(false);
  });
});

test('the torture messages of RFC 4475: which reader refuses what', () => {
  const refused: Record<string, string[]> = { us: [], both: [], peer: [] };
  for (const [label, octets] of Object.entries({ ...valid, ...invalid, ...meaning })) {
    const [ours, theirs] = [parseMessage(octets), peer.parse(octets)];
    if (ours === null) refused[theirs === undefined ? 'both' : 'us']?.push(label);
    else if (theirs === undefined) refused.peer?.push(label);
    else if (theirs.status !== undefined) expect(ours.status).toBe(theirs.status);
    // `sip` takes percent signs in a method for escapes, which RFC 4475 forbids.
    else if (!ours.method?.includes('%')) expect([ours.method, ours.uri]).toEqual([theirs.method, theirs.uri]);
  }
  expect(refused).toEqual({
    us: ['clerr', 'ncl', 'badvers', 'bigcode', 'mcl01'],
    both: ['lwsruri'],
    peer: ['lwsstart'],
  });
});
