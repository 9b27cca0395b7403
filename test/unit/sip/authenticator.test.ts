// The credentials of a call over several requests: how often a nonce was used, and what the session key of -sess is made of.
import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { Authenticator } from '../../../src/sip/authenticator.ts';
import { parsed } from './callee.ts';

const md5 = (...parts: string[]) => createHash('md5').update(parts.join(':')).digest('hex');
const challenge = (nonce: string, more = '') =>
  parsed(`SIP/2.0 401 Unauthorized\r\nWWW-Authenticate: Digest realm="r", nonce="${nonce}", qop="auth"${more}\r\n\r\n`);

function authenticator() {
  let made = 0;
  const answering = new Authenticator({ username: 'u', password: 'p' }, () => `c${++made}`);
  return {
    asked: (nonce: string, more = '') => answering.take(challenge(nonce, more), new Set()),
    /** The parameters of the next request's Authorization. */
    answer: (method: string): Record<string, string> => {
      const [, value = ''] = answering.lines(method, 'sip:a')[0] ?? [];
      return Object.fromEntries([...value.matchAll(/(\w+)="?([^",]+)/g)].map(([, name, text]) => [name, text]));
    },
  };
}

test('with -sess all requests of a nonce are signed with one session key, which both readings of the RFC give', () => {
  const { asked, answer } = authenticator();
  asked('n', ', algorithm=MD5-sess');
  const { cnonce: first = '' } = answer('INVITE');
  const { nc = '', cnonce = '', response } = answer('BYE');
  expect([nc, cnonce]).toEqual(['00000002', first]);
  const key = md5(md5('u', 'r', 'p'), 'n', first);
  expect(response).toBe(md5(key, 'n', nc, cnonce, 'auth', md5('BYE', 'sip:a')));
});

test('a nonce that is asked for again goes on counting, and a new one begins anew', () => {
  const { asked, answer } = authenticator();
  asked('n');
  const first = answer('INVITE');
  asked('n');
  const second = answer('BYE');
  asked('m');
  const third = answer('BYE');
  expect([first, second, third].map(({ nonce, nc, cnonce }) => [nonce, nc, cnonce])).toEqual([
    ['n', '00000001', 'c1'],
    ['n', '00000002', 'c1'],
    ['m', '00000001', 'c2'],
  ]);
});
