// A call whose trunk wants credentials (RFC 3261 section 22, RFC 7616): which requests are sent again, and when that has an end.
import { expect, it } from 'vitest';
import { authorization, parseChallenges } from '../../../src/sip/digest.ts';
import { header } from '../../../src/sip/headers.ts';
import type { SipMessage } from '../../../src/sip/message.ts';
import { Rig, sdpOf } from './callee.ts';

const credentials = { username: 'ramz', password: 'secret' };
const proxy = (realm: string, nonce: string, more = '') =>
  `Proxy-Authenticate: Digest realm="${realm}", nonce="${nonce}", qop="auth"${more}`;
const server = (realm: string, nonce: string, more = '') =>
  `WWW-Authenticate: Digest realm="${realm}", nonce="${nonce}", qop="auth"${more}`;

/** The parameters of each Authorization or Proxy-Authorization. */
const answers = (request: SipMessage, name = 'proxy-authorization') =>
  (request.headers.get(name) ?? []).map((value) =>
    Object.fromEntries(
      [...value.matchAll(/(\w+)=(?:"([^"]*)"|([^\s,]+))/g)].map((match) => [match[1], match[2] ?? match[3]]),
    ),
  );

it('sends the INVITE again with the next number, another branch, the same Call-ID and From', () => {
  const rig = Rig.ringing({ credentials });
  rig.answer('INVITE', 407, 'Proxy Authentication Required', { headers: [proxy('trunk', 'n1')] });
  expect(rig.log).toEqual(['INVITE', 'ACK', 'INVITE']);
  const [first, second] = rig.all('INVITE') as [SipMessage, SipMessage];
  expect([header(first, 'cseq'), header(second, 'cseq')]).toEqual(['1 INVITE', '2 INVITE']);
  expect(header(second, 'via')).not.toBe(header(first, 'via'));
  for (const name of ['call-id', 'from', 'to', 'contact']) expect(header(second, name)).toBe(header(first, name));
  const [sent] = answers(second);
  const [challenge] = parseChallenges(['Digest realm="trunk", nonce="n1", qop="auth"']);
  const input = { ...credentials, method: 'INVITE', uri: second.uri!, nonceCount: 1, cnonce: sent!.cnonce! };
  expect(header(second, 'proxy-authorization')).toBe(authorization(challenge!, input));
  rig.answer('INVITE', 407, 'Proxy Authentication Required', { headers: [proxy('trunk', 'n2')] });
  expect(rig.end).toEqual({ how: 'refused', status: 407 });
  expect(rig.log).toEqual(['INVITE', 'ACK', 'INVITE', 'ACK']);
});

it('acknowledges the first 407 again when it comes again', () => {
  const rig = Rig.ringing({ credentials });
  for (let turn = 0; turn < 3; turn += 1)
    rig.answerTo(rig.all('INVITE')[0]!, 407, 'Proxy', { headers: [proxy('trunk', 'n1')] });
  expect(rig.log).toEqual(['INVITE', 'ACK', 'INVITE', 'ACK', 'ACK']);
  expect(rig.all('ACK').map((ack) => header(ack, 'cseq'))).toEqual(['1 ACK', '1 ACK', '1 ACK']);
});

it('chooses SHA-256 of several challenges', () => {
  const rig = Rig.ringing({ credentials });
  const headers = [proxy('trunk', 'n1', ', algorithm=MD5'), proxy('trunk', 'n2', ', algorithm=SHA-256')];
  rig.answer('INVITE', 407, 'Proxy', { headers });
  expect(answers(rig.last('INVITE'))).toMatchObject([{ nonce: 'n2', algorithm: 'SHA-256' }]);
});

it('gives no hash of the password to a trunk that offers MD5 alone, where that is not allowed', () => {
  const rig = Rig.ringing({ credentials: { ...credentials, hashes: 'sha-256' } });
  rig.answer('INVITE', 407, 'Proxy', { headers: [proxy('trunk', 'n1', ', algorithm=MD5'), server('trunk', 'n2')] });
  expect([rig.log, rig.end]).toEqual([['INVITE', 'ACK'], { how: 'refused', status: 407 }]);
});

it('answers a stale nonce once more, and not without end', () => {
  const rig = Rig.ringing({ credentials });
  rig.answer('INVITE', 407, 'Proxy', { headers: [proxy('trunk', 'n0')] });
  for (let turn = 1; turn < 20 && rig.ends.length === 0; turn += 1)
    rig.answer('INVITE', 407, 'Proxy', { headers: [proxy('trunk', `n${turn}`, ', stale=true')] });
  expect(rig.all('INVITE').map((invite) => answers(invite).map(({ nonce }) => nonce))).toEqual([
    [],
    ...['n0', 'n1', 'n2', 'n3', 'n4'].map((nonce) => [nonce]),
  ]);
  expect(rig.end).toEqual({ how: 'refused', status: 407 });
});

it('answers a realm that asks by another hash once it knows who calls, and not without end', () => {
  const rig = Rig.ringing({ credentials });
  // Within one second Asterisk gives the same nonce again.
  const sha256 = server('asterisk', '1795771200/5f', ', algorithm=SHA-256');
  rig.answer('INVITE', 401, 'Unauthorized', { headers: [server('asterisk', '1795771200/5f', ', algorithm=MD5')] });
  rig.answer('INVITE', 401, 'Unauthorized', { headers: [sha256] });
  expect(answers(rig.last('INVITE'), 'authorization')).toMatchObject([{ algorithm: 'SHA-256', nc: '00000002' }]);
  rig.answer('INVITE', 401, 'Unauthorized', { headers: [sha256] });
  expect(rig.end).toEqual({ how: 'refused', status: 401 });
  expect(rig.times('INVITE')).toHaveLength(3);
});

it('answers every hop that asks, one after another or at once, and keeps answering the earlier ones', () => {
  const rig = Rig.ringing({ credentials });
  rig.answer('INVITE', 407, 'Proxy', { headers: [proxy('edge', 'e1')] });
  rig.answer('INVITE', 401, 'Unauthorized', { headers: [server('core', 'c1'), proxy('middle', 'm1')] });
  const invite = rig.last('INVITE');
  expect(answers(invite)).toMatchObject([
    { realm: 'edge', nonce: 'e1', nc: '00000002' },
    { realm: 'middle', nonce: 'm1', nc: '00000001' },
  ]);
  expect(answers(invite, 'authorization')).toMatchObject([{ realm: 'core', nonce: 'c1', nc: '00000001' }]);
  rig.answer('INVITE', 200, 'OK', { body: sdpOf() });
  const ack = rig.last('ACK');
  for (const name of ['authorization', 'proxy-authorization'])
    expect(ack.headers.get(name)).toEqual(invite.headers.get(name)); // section 22.1
  expect(header(ack, 'cseq')).toBe('3 ACK');
});

it('says BYE with the nonce it has and the next count, and again with a new nonce', () => {
  const rig = Rig.ringing({ credentials });
  rig.answer('INVITE', 407, 'Proxy', { headers: [proxy('trunk', 'n1')] });
  rig.answer('INVITE', 200, 'OK', { body: sdpOf() });
  rig.hangUp();
  expect(answers(rig.last('BYE'))).toMatchObject([{ nonce: 'n1', nc: '00000002', uri: 'sip:callee@198.51.100.7' }]);
  expect(header(rig.last('BYE'), 'cseq')).toBe('3 BYE');
  rig.answer('BYE', 407, 'Proxy', { headers: [proxy('trunk', 'n2')] });
  expect(rig.ends).toEqual([]);
  expect(answers(rig.last('BYE'))).toMatchObject([{ nonce: 'n2', nc: '00000001' }]);
  expect(header(rig.last('BYE'), 'cseq')).toBe('4 BYE');
  expect(header(rig.last('BYE'), 'reason')).toContain('cause=16');
  rig.answer('BYE', 407, 'Proxy', { headers: [proxy('trunk', 'n3')] });
  expect([rig.end, rig.times('BYE').length]).toEqual([{ how: 'completed' }, 2]);
});

it('does not answer stale nonces of a BYE without end', () => {
  const rig = Rig.up({ credentials });
  rig.hangUp();
  for (let turn = 0; turn < 20 && rig.ends.length === 0; turn += 1)
    rig.answer('BYE', 407, 'Proxy', { headers: [proxy('trunk', `n${turn}`, ', stale=true')] });
  expect([rig.times('BYE').length, rig.end]).toEqual([6, { how: 'completed' }]);
});

it('answers the challenge of a branch that is left', () => {
  const rig = Rig.up({ credentials });
  rig.answer('INVITE', 200, 'OK', { tag: 'b', body: sdpOf() });
  rig.answer('BYE', 401, 'Unauthorized', { headers: [server('phone', 'p1')] });
  expect(answers(rig.last('BYE'), 'authorization')).toMatchObject([{ realm: 'phone' }]);
  expect(rig.all('BYE').map((bye) => header(bye, 'to').includes('tag=b'))).toEqual([true, true]);
});

it('is not called again once the ringing is to stop', () => {
  const rig = Rig.ringing({ credentials });
  rig.hangUp();
  rig.answer('INVITE', 407, 'Proxy', { headers: [proxy('trunk', 'n1')] });
  expect([rig.log, rig.end]).toEqual([['INVITE', 'ACK'], { how: 'not_called' }]);
});

it('may have been called where it rang before the challenge', () => {
  const rig = Rig.ringing({ credentials });
  rig.answer('INVITE', 180, 'Ringing');
  rig.hangUp();
  rig.answer('INVITE', 407, 'Proxy', { headers: [proxy('trunk', 'n1')] });
  expect(rig.end).toEqual({ how: 'canceled' });
});

it('was certainly not called where the second INVITE is refused by the transport', () => {
  const rig = Rig.ringing({ credentials });
  rig.answer('INVITE', 407, 'Proxy', { headers: [proxy('trunk', 'n1')] });
  rig.call.transportFailed(rig.now);
  rig.collect();
  expect(rig.end).toEqual({ how: 'transport' });
});

it.each([
  ['no credentials', null, [proxy('trunk', 'n1')]],
  ['an unknown algorithm', credentials, [proxy('trunk', 'n1', ', algorithm=ROT13')]],
  ['another scheme', credentials, ['Proxy-Authenticate: Basic realm="trunk"']],
  ['no challenge', credentials, []],
])('is refused with %s', (_, known, headers) => {
  const rig = Rig.ringing({ credentials: known });
  rig.answer('INVITE', 407, 'Proxy', { headers });
  expect([rig.log, rig.end]).toEqual([['INVITE', 'ACK'], { how: 'refused', status: 407 }]);
});

it('is refused by more realms than a network has', () => {
  const rig = Rig.ringing({ credentials });
  rig.answer('INVITE', 407, 'Proxy', { headers: Array.from({ length: 50 }, (_, index) => proxy(`r${index}`, 'n')) });
  expect(answers(rig.last('INVITE')).length).toBe(8);
});
