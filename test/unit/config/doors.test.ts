// What a start refuses to open: ports that other machines reach in the clear, or without a token.
import { describe, expect, it } from 'vitest';
import { type Doors, exposedDoors, isLoopback, urlHost } from '../../../src/config/doors.ts';
import { selfSigned } from '../../support/certificate.ts';
import { errors, load } from './sources.ts';

const [own, other] = [selfSigned(), selfSigned()];
const files = { '/cert.pem': own.cert, '/key.pem': own.key, '/other.pem': other.key, '/text.pem': 'no PEM' };
const httpTls = { HTTP_TLS_CERT: '/cert.pem', HTTP_TLS_KEY: '/key.pem' };
const grpcTls = { GRPC_TLS_CERT: '/cert.pem', GRPC_TLS_KEY: '/key.pem' };
function doors(env: Record<string, string>): Doors {
  const loaded = load({}, env, files);
  if (loaded.kind === 'invalid') throw new Error(JSON.stringify(loaded.errors));
  return loaded.config.server;
}
const problems = (env: Record<string, string>) => exposedDoors(doors(env)).map(({ path }) => path);

describe('a port that other machines reach', () => {
  it.each([
    [{}, ['HOST']],
    [{ HOST: '192.0.2.7' }, ['HOST']],
    [{ HOST: '::' }, ['HOST']],
    [{ HOST: 'ramz.example' }, ['HOST']],
    [httpTls, ['HOST']],
    [grpcTls, ['HOST']],
    [{ ...httpTls, ...grpcTls }, []],
    [{ RAMZ_ALLOW_PLAINTEXT: 'true' }, []],
    [{ HOST: '127.0.0.1' }, []],
    [{ HOST: '127.8.8.8' }, []],
    [{ HOST: '::1' }, []],
    [{ HOST: 'localhost' }, []],
  ])('is encrypted, or allowed not to be: %j', (env, found) => {
    expect(problems(env)).toEqual(found);
  });

  it('is named with the variables that are missing, and the other ways out', () => {
    const [problem] = exposedDoors(doors(httpTls));
    expect(problem?.message).toContain('0.0.0.0 is reached by other machines');
    expect(problem?.message).toContain('Set GRPC_TLS_CERT and GRPC_TLS_KEY; or HOST=127.0.0.1');
    expect(problem?.message).toContain('RAMZ_ALLOW_PLAINTEXT=true');
    expect(problem?.message).not.toContain('HTTP_TLS_CERT');
  });

  it('with measures asks for a token', () => {
    const open = { HOST: '127.0.0.1', METRICS_HOST: '0.0.0.0' };
    const allowed = { ...open, RAMZ_ALLOW_PLAINTEXT: 'true' };
    expect(problems(allowed)).toEqual(['METRICS_TOKEN']);
    expect(problems({ ...allowed, METRICS_TOKEN: 'a-token-of-its-own' })).toEqual([]);
    expect(problems({ ...open, METRICS_PORT: 'off' })).toEqual([]);
    expect(problems({ METRICS_HOST: '0.0.0.0' })).toEqual(['HOST', 'METRICS_HOST', 'METRICS_TOKEN']);
  });

  it('with measures sends no token in the clear, unless that is allowed', () => {
    const open = { HOST: '127.0.0.1', METRICS_HOST: '0.0.0.0', METRICS_TOKEN: 'a-token-of-its-own' };
    expect(problems(open)).toEqual(['METRICS_HOST']);
    expect(problems({ ...open, ...grpcTls })).toEqual(['METRICS_HOST']);
    expect(problems({ ...open, ...httpTls })).toEqual([]);
    expect(problems({ ...open, METRICS_HOST: '::1' })).toEqual([]);
  });
});

it('loopback is what the address says, never a name that may come to mean something else', () => {
  for (const host of ['127.0.0.1', '127.255.0.3', '::1', 'LOCALHOST']) expect(isLoopback(host)).toBe(true);
  for (const host of ['0.0.0.0', '::', '', '10.0.0.1', '128.0.0.1', '127.0.0.1.example', 'localhost.example'])
    expect(isLoopback(host)).toBe(false);
});

it('the metrics port may be off, or any', () => {
  expect(doors({ METRICS_PORT: 'off' }).metrics).toBeNull();
  expect(doors({ METRICS_PORT: '0' }).metrics).toEqual({ host: '127.0.0.1', port: 0, token: null });
});

it.each([
  ['0.0.0.0', '127.0.0.1'],
  ['::', '[::1]'],
  ['fd00::7', '[fd00::7]'],
  ['192.0.2.7', '192.0.2.7'],
  ['ramz.example', 'ramz.example'],
])('a port at %s is reached at %s', (host, expected) => {
  expect(urlHost(host)).toBe(expected);
  expect(new URL(`http://${urlHost(host)}:8080`).port).toBe('8080');
});

describe('a certificate and its key', () => {
  const found = (env: Record<string, string>) => errors({}, env, files);

  it('that belong together are taken', () => {
    expect(found({ ...httpTls, ...grpcTls })).toEqual([]);
  });

  it('that do not fit each other are an error with the names of both', () => {
    expect(found({ ...httpTls, HTTP_TLS_KEY: '/other.pem' })).toEqual([
      expect.stringMatching(/^HTTP_TLS_KEY: does not fit HTTP_TLS_CERT \(ERR_\w+\)$/),
    ]);
  });

  it('in whose place is something else are named', () => {
    expect(found({ GRPC_TLS_CERT: '/text.pem', GRPC_TLS_KEY: '/text.pem' })).toEqual([
      expect.stringMatching(/^GRPC_TLS_CERT: is no certificate in PEM that can be used/),
      expect.stringMatching(/^GRPC_TLS_KEY: is no key in PEM, without a passphrase, that can be used/),
    ]);
  });
});
