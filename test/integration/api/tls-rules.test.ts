// TLS of every port that callers and scrapers reach: no version before 1.2, and no suite without forward secrecy, also with a certificate that
// came later. A renewal ends nothing.
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Api } from '../../../src/api/server.ts';
import { selfSigned } from '../../support/certificate.ts';
import { newSeen, startFake } from './fake.ts';

let api: Api;
beforeAll(async () => {
  const door = { host: '127.0.0.1', port: 0, tls: selfSigned('rsa') };
  const metrics = async () => ({ contentType: 'text/plain', body: '' });
  api = await startFake(newSeen(), { http: door, grpc: door, metrics: { ...door, token: null, metrics } });
});
afterAll(() => api.close(1_000));

/** What is agreed on, or the reason why nothing is. The client takes anything, old and weak, at OpenSSL's lowest level. */
async function agreed(port: number | null, offer: ConnectionOptions): Promise<string> {
  const socket = connect({ host: '127.0.0.1', port: port ?? 0, rejectUnauthorized: false, ...offer });
  try {
    await once(socket, 'secureConnect');
    return `${socket.getProtocol()} ${socket.getCipher().standardName}`;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? String(error);
  } finally {
    socket.destroy();
  }
}

const ports = ['httpPort', 'grpcPort', 'metricsPort'] as const;

test.each(['httpPort', 'metricsPort'] as const)(
  'in the clear nothing is answered, and nobody is sent on: %s',
  async (name) => {
    await expect(fetch(`http://127.0.0.1:${api[name]}/healthz`)).rejects.toThrow();
  },
);

describe.each(ports)('%s', rules);

describe('another certificate', () => {
  const renewed = selfSigned('ec');

  test('is that of new connections, and those that are up go on', async () => {
    const before = await connected(api.httpPort);
    api.renewCertificates({ http: renewed, grpc: null });
    expect(await answered(before)).toMatch(/^HTTP\/1.1 200 OK/);
    before.destroy();
    expect(await shown()).toEqual({ httpPort: true, grpcPort: false, metricsPort: true });
    api.renewCertificates({ http: null, grpc: renewed });
    expect(await shown()).toEqual({ httpPort: true, grpcPort: true, metricsPort: true });
  });

  /** Whether it is the one that a port shows. */
  async function shown(): Promise<Record<string, boolean>> {
    const expected = new X509Certificate(renewed.cert).fingerprint256;
    const found: Record<string, boolean> = {};
    for (const name of ports) {
      const socket = await connected(api[name]);
      found[name] = socket.getPeerCertificate().fingerprint256 === expected;
      socket.destroy();
    }
    return found;
  }

  describe.each(ports)('%s', rules);
});

test('a port in the clear stays as it is', async () => {
  const plain = await startFake(newSeen());
  plain.renewCertificates({ http: selfSigned(), grpc: selfSigned() });
  expect((await fetch(`http://127.0.0.1:${plain.httpPort}/healthz`)).status).toBe(200);
  await plain.close(1_000);
});

function rules(name: (typeof ports)[number]): void {
  const offer = (options: ConnectionOptions) => agreed(api[name], { ALPNProtocols: ['h2', 'http/1.1'], ...options });

  test('prefers TLS 1.3, and speaks 1.2', async () => {
    expect(await offer({})).toMatch(/^TLSv1.3 TLS_/);
    expect(await offer({ maxVersion: 'TLSv1.2' })).toMatch(/^TLSv1.2 TLS_ECDHE_\w+_GCM_/);
  });

  test.each(['TLSv1.1', 'TLSv1'] as const)('refuses %s', async (version) => {
    const old = { minVersion: version, maxVersion: version, ciphers: 'ALL:@SECLEVEL=0' };
    expect(await offer(old)).toBe('ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION');
  });

  test.each([
    ['without forward secrecy', 'AES256-GCM-SHA384'],
    ['in CBC mode', 'ECDHE-RSA-AES256-SHA384'],
    ['without encryption', 'ECDHE-RSA-NULL-SHA'],
  ])('refuses a suite %s', async (_, ciphers) => {
    const weak = { maxVersion: 'TLSv1.2' as const, ciphers: `${ciphers}:@SECLEVEL=0` };
    expect(await offer(weak)).toMatch(/HANDSHAKE_FAILURE/);
  });
}

async function connected(port: number | null): Promise<TLSSocket> {
  const socket = connect({ host: '127.0.0.1', port: port ?? 0, rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  return socket;
}

/** What comes back on `GET /healthz`. */
async function answered(socket: TLSSocket): Promise<string> {
  socket.write('GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n');
  const [chunk] = await once(socket, 'data');
  return String(chunk);
}
