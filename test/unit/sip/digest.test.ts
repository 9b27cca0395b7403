// Digest authentication: the examples of RFC 2617 and RFC 7616, and what servers really send.
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { authorization, type Challenge, parseChallenges, strongest } from '../../../src/sip/digest.ts';

const only = (...lines: string[]): Challenge => {
  const [challenge] = parseChallenges(lines);
  if (challenge === undefined) throw new Error('no challenge');
  return challenge;
};

/** The fields of an answer, as its reader sees them. */
function fieldsOf(value: string): Record<string, string> {
  expect(value).toMatch(/^Digest /);
  const found = value.slice(7).matchAll(/(\w+)=(?:"((?:[^"\\]|\\.)*)"|([^\s",]+))(?:, |$)/g);
  return Object.fromEntries([...found].map(([, name, quoted, bare]) => [name, quoted ?? bare ?? '']));
}

describe('examples', () => {
  const mufasa = { username: 'Mufasa', method: 'GET', uri: '/dir/index.html', nonceCount: 1 };

  test('RFC 2617 section 3.5: MD5 with qop', () => {
    const challenge = only(
      'Digest realm="testrealm@host.com", qop="auth,auth-int", nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093", ' +
        'opaque="5ccc069c403ebaf9f0171e9517f40e41"',
    );
    const answer = authorization(challenge, { ...mufasa, password: 'Circle Of Life', cnonce: '0a4f113b' });
    expect(fieldsOf(answer)).toEqual({
      username: 'Mufasa',
      realm: 'testrealm@host.com',
      nonce: 'dcd98b7102dd2f0e8b11d0f600bfb0c093',
      uri: '/dir/index.html',
      response: '6629fae49393a05397450978507c4ef1',
      algorithm: 'MD5',
      cnonce: '0a4f113b',
      qop: 'auth',
      nc: '00000001',
      opaque: '5ccc069c403ebaf9f0171e9517f40e41',
    });
  });

  test('RFC 2069 with its erratum: without qop', () => {
    const challenge = only(
      'Digest realm="testrealm@host.com", nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093", opaque="5ccc069c403ebaf9f0171e9517f40e41"',
    );
    const answer = fieldsOf(authorization(challenge, { ...mufasa, password: 'CircleOfLife', cnonce: 'unused' }));
    expect(answer.response).toBe('1949323746fe6a43ef61f9606e7febea');
    expect(Object.keys(answer)).not.toContain('cnonce');
    expect(Object.keys(answer)).not.toContain('nc');
    expect(Object.keys(answer)).not.toContain('qop');
  });

  test.each([
    ['MD5', '8ca523f5e9506fed4657c9700eebdbec'],
    ['SHA-256', '753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1'],
  ])('RFC 7616 section 3.9.1: %s', (algorithm, response) => {
    const challenge = only(
      `Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=${algorithm}, ` +
        'nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"',
    );
    const cnonce = 'f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ';
    const answer = fieldsOf(authorization(challenge, { ...mufasa, password: 'Circle of Life', cnonce }));
    expect(answer).toMatchObject({ response, algorithm, opaque: 'FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS' });
  });

  test('RFC 7616 section 3.9.2 with erratum 4897: SHA-512-256, a hashed user name in UTF-8', () => {
    const challenge = only(
      'Digest realm="api@example.org", qop="auth", algorithm=SHA-512-256, ' +
        'nonce="5TsQWLVdgBdmrQ0XsxbDODV+57QdFR34I9HAbC/RVvkK", opaque="HRPCssKJSGjCrkzDg8OhwpzCiGPChXYjwrI2QmXDnsOS", ' +
        'charset=UTF-8, userhash=true',
    );
    const input = {
      method: 'GET',
      uri: '/doe.json',
      nonceCount: 1,
      cnonce: 'NTg6RKcb9boFIAS3KrFK9BGeh+iDa/sm6jUMp2wds69v',
    };
    const answer = authorization(challenge, { ...input, username: 'Jäsøn Doe', password: 'Secret, or not?' });
    expect(fieldsOf(answer)).toMatchObject({
      username: '793263caabb707a56211940d90411ea4a575adeccb7e360aeb624ed06ece9b0b',
      response: '3798d4131c277846293534c3edc11bd8a5e4cdcbff78b05db9d95eeb1cec68a5',
      userhash: 'true',
    });
  });
});

describe('challenges', () => {
  test('everything that one can say', () => {
    expect(
      only(
        'DIGEST  Realm = "a, \\"b\\"" ,nonce="n", opaque="",Stale=TRUE, algorithm="sha-256", qop="auth-int , AUTH", x=y',
      ),
    ).toEqual({
      realm: 'a, \\"b\\"',
      nonce: 'n',
      opaque: '',
      algorithm: 'SHA-256',
      qop: ['auth-int', 'auth'],
      stale: true,
      userhash: false,
    });
  });

  test('as little as one can say', () => {
    expect(only('Digest realm=r,nonce=n')).toEqual({
      realm: 'r',
      nonce: 'n',
      opaque: null,
      algorithm: 'MD5',
      qop: [],
      stale: false,
      userhash: false,
    });
  });

  test('several in one line, several lines, and lines that were split at commas', () => {
    const line = 'Basic realm="b", Digest realm="1", nonce="a", Negotiate, Digest realm="2", nonce="b=", algorithm=MD5';
    const other = 'Digest realm="3", nonce="c"';
    expect(parseChallenges([line, other]).map(({ realm, nonce }) => realm + nonce)).toEqual(['1a', '2b=', '3c']);
    expect(parseChallenges([...line.split(', '), ...other.split(', ')])).toEqual(parseChallenges([line, other]));
  });

  test.each([
    '',
    'Digest',
    'Digest realm="a"',
    'Digest nonce="a"',
    'Basic realm="a", nonce="b"',
    'realm="a", nonce="b"',
    ',,',
  ])('%j is none', (line) => {
    expect(parseChallenges([line])).toEqual([]);
  });

  test('a quote without an end reaches no other line', () => {
    expect(parseChallenges(['Digest realm="a, nonce="b"', 'Digest realm="c", nonce="d"'])).toMatchObject([
      { realm: 'c' },
    ]);
  });

  test('reading never throws', () => {
    const pieces = fc.constantFrom(
      'Digest ',
      'realm',
      'nonce',
      'qop',
      '=',
      '"',
      ',',
      ' ',
      '\\',
      'auth',
      '\xff',
      '__proto__',
    );
    fc.assert(
      fc.property(fc.array(fc.array(pieces, { maxLength: 30 }), { maxLength: 3 }), (lines) => {
        const chosen = strongest(parseChallenges(lines.map((parts) => parts.join(''))));
        const input = { username: 'u', password: 'p', method: 'BYE', uri: 'sip:a@b', nonceCount: 1, cnonce: 'c' };
        if (chosen) expect(authorization(chosen, input)).toMatch(/ response="[0-9a-f]{32,64}"/);
      }),
      { numRuns: 3_000 },
    );
  });
});

describe('the strongest', () => {
  const of = (algorithm: string, qop = 'auth') =>
    `Digest realm="r", nonce="${algorithm}", algorithm=${algorithm}, qop="${qop}"`;

  test.each([
    [['MD5', 'SHA-256'], 'SHA-256'],
    [['SHA-256', 'MD5'], 'SHA-256'],
    [['MD5', 'SHA-512-256'], 'SHA-512-256'],
    [['MD5', 'SHA-256-sess'], 'SHA-256-SESS'],
    [['SHA-1', 'AKAv1-MD5', 'MD5', 'token'], 'MD5'],
  ])('of %j is %s', (algorithms, expected) => {
    expect(strongest(parseChallenges(algorithms.map((algorithm) => of(algorithm))))?.algorithm).toBe(expected);
  });

  test('is none where no algorithm or no quality is known', () => {
    expect(strongest(parseChallenges([of('AKAv1-MD5'), of('MD5', 'auth-int'), of('constructor')]))).toBeNull();
    expect(strongest([])).toBeNull();
    expect(() => authorization(only(of('SHA-3')), {} as never)).toThrow('algorithm');
  });

  test('is none where MD5 alone is offered and not allowed', () => {
    const chosen = (...algorithms: string[]) =>
      strongest(parseChallenges(algorithms.map((algorithm) => of(algorithm))), 'sha-256')?.algorithm;
    expect([chosen('MD5'), chosen('md5-sess'), chosen('MD5', 'SHA-1')]).toEqual([undefined, undefined, undefined]);
    expect(strongest(parseChallenges(['Digest realm="r", nonce="n"']), 'sha-256')).toBeNull();
    expect([chosen('MD5', 'SHA-256'), chosen('SHA-512-256-sess')]).toEqual(['SHA-256', 'SHA-512-256-SESS']);
  });

  test('is the first of two alike', () => {
    expect(strongest(parseChallenges([of('MD5'), of('md5').replace('"r"', '"s"')]))?.realm).toBe('r');
  });
});

describe('answers', () => {
  const input = { username: 'u', password: 'p', method: 'REGISTER', uri: 'sip:a', nonceCount: 1, cnonce: 'c' };
  const md5 = (text: string) => createHash('md5').update(text).digest('hex');

  test('-sess hashes nonce and cnonce with the password', () => {
    const challenge = only('Digest realm="r", nonce="n", algorithm=MD5-sess, qop="auth"');
    const secret = md5(`${md5('u:r:p')}:n:c`);
    const answer = fieldsOf(authorization(challenge, input));
    expect(answer.algorithm).toBe('MD5-sess');
    expect(answer.response).toBe(md5(`${secret}:n:00000001:c:auth:${md5('REGISTER:sip:a')}`));
  });

  test('name and password are hashed as UTF-8', () => {
    const answer = authorization(only('Digest realm="r", nonce="n"'), { ...input, username: 'zoé', password: 'صفر' });
    expect(answer).toContain(`username="${Buffer.from('zoé').toString('latin1')}"`);
    expect(fieldsOf(answer).response).toBe(md5(`${md5('zoé:r:صفر')}:n:${md5('REGISTER:sip:a')}`));
  });

  test('the count is of eight hexadecimal digits', () => {
    const challenge = only('Digest realm="r", nonce="n", qop=auth');
    const counts = [1, 255, 0x1234567].map(
      (nonceCount) => fieldsOf(authorization(challenge, { ...input, nonceCount })).nc,
    );
    expect(counts).toEqual(['00000001', '000000ff', '01234567']);
  });

  test('a realm goes back as it came, a user name is escaped', () => {
    const challenge = only('Digest realm="a \\"b\\", c", nonce="n"');
    const answer = authorization(challenge, { ...input, username: 'x"y\\' });
    expect(answer).toContain('realm="a \\"b\\", c"');
    expect(answer).toContain('username="x\\"y\\\\"');
  });

  test('the password is in none', () => {
    expect(authorization(only('Digest realm="r", nonce="n"'), { ...input, password: 'geheim' })).not.toContain(
      'geheim',
    );
  });
});
