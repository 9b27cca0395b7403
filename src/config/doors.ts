// The settings of the ports: addresses, TLS, who may read the measures. What a start refuses about them is here too: a port that other
// machines reach without encryption is never opened by default.

import { isIP } from 'node:net';
import { z } from 'zod';
import { defaults } from './defaults.ts';
import type { ConfigProblem } from './problem.ts';
import { identityProblems, type TlsIdentity } from './tls-identity.ts';

const d = defaults.environment;

export const portText = z
  .string()
  .regex(/^\d{1,5}$/, 'must be a port number')
  .transform(Number)
  .refine((port) => port <= 65_535, 'must be at most 65535');

export const booleanText = z
  .enum(['true', 'false', '1', '0'], 'must be true or false')
  .transform((text) => text === 'true' || text === '1');

/** A bearer token that an administrator makes up. */
export const tokenText = z
  .string()
  .min(16, 'must have at least 16 characters')
  .regex(/^[!-~]+$/, 'must be printable ASCII without spaces: no client could send it otherwise');

const path = z.string();

/** Environment variables of the ports, in the order of the documentation. */
export const doorVariables = {
  HOST: z
    .string()
    .default(d.HOST)
    .describe(
      'Address that the HTTP port and the gRPC port listen on. `0.0.0.0` is every address of IPv4 and none of IPv6, `::` is every address of both: a host with IPv6 alone needs it.',
    ),
  PORT: portText.default(d.PORT).describe('HTTP port: REST, Connect, gRPC-web. 0 = any free one.'),
  GRPC_PORT: portText.default(d.GRPC_PORT).describe('gRPC port. 0 = any free one.'),
  RAMZ_ALLOW_PLAINTEXT: booleanText
    .default(d.RAMZ_ALLOW_PLAINTEXT)
    .describe(
      '`true` lets a start open a port without TLS at an address that other machines reach: behind a proxy that ends TLS, in a network of its own. Without it such a start is refused ([Deploying](../deploy/README.md#tls)).',
    ),
  RAMZ_REFLECTION: z
    .enum(['on', 'off'])
    .default(d.RAMZ_REFLECTION)
    .describe('`off` leaves out server reflection on the gRPC port: tools then need `proto/`.'),
  METRICS_HOST: z
    .string()
    .default(d.METRICS_HOST)
    .describe(
      'Address that the metrics port listens on. At one that other machines reach it has the certificate of the HTTP port, or `RAMZ_ALLOW_PLAINTEXT` has to allow it to have none.',
    ),
  METRICS_PORT: z
    .string()
    .regex(/^(off|\d{1,5})$/, 'must be a port number or off')
    .transform((text) => (text === 'off' ? null : Number(text)))
    .refine((port) => port === null || port <= 65_535, 'must be at most 65535')
    .default(d.METRICS_PORT)
    .describe(
      'Port of `/metrics`, and of a `/readyz` that names operators and the database. 0 = any free one; `off` = none.',
    ),
  METRICS_TOKEN: tokenText
    .optional()
    .describe(
      'Bearer token that both ask for, at least 16 printable characters without spaces; unset = none, and only requests whose `Host` is `localhost` or a loopback address are answered. Required where `METRICS_HOST` is not this machine alone.',
    ),
  METRICS_TOKEN_FILE: path.optional().describe('Path of a file with it instead.'),
  HTTP_TLS_CERT: path.optional().describe('Path of the PEM certificate chain of the HTTP port; unset = plain HTTP.'),
  HTTP_TLS_KEY: path.optional().describe('Path of its PEM key.'),
  GRPC_TLS_CERT: path.optional().describe('Path of the PEM certificate chain of the gRPC port; unset = h2c.'),
  GRPC_TLS_KEY: path.optional().describe('Path of its PEM key.'),
};

export type DoorVariables = z.output<z.ZodObject<typeof doorVariables>>;

/** The port of the measures. */
export interface MetricsDoor {
  host: string;
  /** 0 = any free port. */
  port: number;
  /** null = it asks for none. */
  token: string | null;
}

export interface Doors {
  host: string;
  /** HTTP: REST, Connect, gRPC-web. 0 = any free port. */
  port: number;
  grpcPort: number;
  allowPlaintext: boolean;
  /** Whether the gRPC port describes itself. */
  reflection: boolean;
  /** null = no such port. */
  metrics: MetricsDoor | null;
  /** null = plain HTTP. */
  httpTls: TlsIdentity | null;
  /** null = h2c. */
  grpcTls: TlsIdentity | null;
}

/** `read`: the text of the file at a path; it notes for that variable when there is none. */
export function readDoors(
  variables: DoorVariables,
  read: (variable: TlsVariable, path: string) => string,
  errors: ConfigProblem[],
): Doors {
  const { METRICS_PORT: port, METRICS_HOST: host, METRICS_TOKEN: token = null } = variables;
  return {
    host: variables.HOST,
    port: variables.PORT,
    grpcPort: variables.GRPC_PORT,
    allowPlaintext: variables.RAMZ_ALLOW_PLAINTEXT,
    reflection: variables.RAMZ_REFLECTION === 'on',
    metrics: port === null ? null : { host, port, token },
    httpTls: identity(variables, 'HTTP_TLS_CERT', 'HTTP_TLS_KEY', read, errors),
    grpcTls: identity(variables, 'GRPC_TLS_CERT', 'GRPC_TLS_KEY', read, errors),
  };
}

type TlsVariable = 'HTTP_TLS_CERT' | 'HTTP_TLS_KEY' | 'GRPC_TLS_CERT' | 'GRPC_TLS_KEY';

function identity(
  variables: DoorVariables,
  certVariable: TlsVariable,
  keyVariable: TlsVariable,
  read: (variable: TlsVariable, path: string) => string,
  errors: ConfigProblem[],
): TlsIdentity | null {
  const cert = variables[certVariable];
  const key = variables[keyVariable];
  if (cert && key) {
    const texts = { cert: read(certVariable, cert), key: read(keyVariable, key) };
    errors.push(...identityProblems(texts, { cert: certVariable, key: keyVariable }));
    return texts;
  }
  // Half a pair must not quietly mean plain text.
  if (cert) errors.push({ path: keyVariable, message: `is missing beside ${certVariable}` });
  if (key) errors.push({ path: certVariable, message: `is missing beside ${keyVariable}` });
  return null;
}

/** Only this machine reaches it. A name other than `localhost` is not looked up: what it stands for may change. */
export function isLoopback(host: string): boolean {
  if (isIP(host) === 4) return host.startsWith('127.');
  return host === '::1' || host.toLowerCase() === 'localhost';
}

/** The host of a URL by which this machine reaches a port that listens there. */
export function urlHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  const address = host === '::' ? '::1' : host;
  return isIP(address) === 6 ? `[${address}]` : address;
}

/** Why ports may not be opened as they are set: for a start, and not for the commands that open none. */
export function exposedDoors({ host, httpTls, grpcTls, allowPlaintext, metrics }: Doors): ConfigProblem[] {
  const problems: ConfigProblem[] = [];
  const plain = [
    ...(httpTls ? [] : ['HTTP_TLS_CERT and HTTP_TLS_KEY']),
    ...(grpcTls ? [] : ['GRPC_TLS_CERT and GRPC_TLS_KEY']),
  ];
  if (!isLoopback(host) && plain.length > 0 && !allowPlaintext) {
    problems.push({
      path: 'HOST',
      message:
        `${host} is reached by other machines, and keys, codes and numbers would cross the network unencrypted. Set ${plain.join(', ')}; ` +
        'or HOST=127.0.0.1, for this machine alone; or RAMZ_ALLOW_PLAINTEXT=true, where a proxy in front ends TLS (deploy/README.md)',
    });
  }
  return metrics && !isLoopback(metrics.host)
    ? [...problems, ...exposedMetrics(metrics, httpTls !== null || allowPlaintext)]
    : problems;
}

function exposedMetrics({ host, token }: MetricsDoor, mayBeOpen: boolean): ConfigProblem[] {
  const ways = 'METRICS_HOST=127.0.0.1, or METRICS_PORT=off';
  const problems: ConfigProblem[] = [];
  if (!mayBeOpen) {
    problems.push({
      path: 'METRICS_HOST',
      message:
        `${host} is reached by other machines, and METRICS_TOKEN would cross the network unencrypted. Set HTTP_TLS_CERT and HTTP_TLS_KEY, ` +
        `which this port has too; or ${ways}; or RAMZ_ALLOW_PLAINTEXT=true, in a network of its own (deploy/README.md)`,
    });
  }
  if (token === null) {
    const message = `is missing: METRICS_HOST=${host} is reached by other machines. Set it, or ${ways}`;
    problems.push({ path: 'METRICS_TOKEN', message });
  }
  return problems;
}

interface Hosts extends Pick<Doors, 'host' | 'metrics'> {
  peerHost: string;
}

const ports = 'PORT, GRPC_PORT, METRICS_PORT and PEER_PORT';

/**
 * Why a port could not be opened, in one line; null for an error that is no matter of a port of ours. Node names neither the setting that the address
 * came from nor what to do.
 */
export function portProblem(error: unknown, hosts: Hosts): string | null {
  const { code = '', syscall, port, address, hostname } = error as NodeJS.ErrnoException & Asked;
  if (syscall === 'getaddrinfo') {
    const names = settingsOf(hostname, hosts);
    return names === '' ? null : `${names}: the name ${hostname} is not known here (${code})`;
  }
  if (code === 'EADDRINUSE') return `port ${port} is taken: set ${ports} to free ones (0 = any)`;
  if (syscall !== 'listen') return null;
  if (code === 'EACCES')
    return `port ${port} may not be opened by this user (${code}): ports below 1024 need a right of their own (CAP_NET_BIND_SERVICE). Set ${ports} to higher ones, behind a proxy`;
  const names = settingsOf(address, hosts) || settingsOf(undefined, hosts);
  if (code === 'EADDRNOTAVAIL') return `${names}: ${address} is no address of this machine`;
  return `${names}: a port at ${address} can't be opened (${code})`;
}

interface Asked {
  port?: number;
  address?: string;
  hostname?: string;
}

/** Names of the settings that have that host; of all, where none is given. */
function settingsOf(host: string | undefined, { host: doors, metrics, peerHost }: Hosts): string {
  const all = Object.entries({ HOST: doors, METRICS_HOST: metrics?.host, PEER_HOST: peerHost });
  return all
    .filter(([, value]) => value !== undefined && (host === undefined || value === host))
    .map(([name]) => name)
    .join(', ');
}
