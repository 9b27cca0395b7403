// The SS7 gateway (gateways/ss7) as scripts and tests run it: its build, and settings that join it over TCP with its simulated network.
import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { root, run } from '../run.ts';
import { alone } from '../tools/lock.ts';

export const gatewayFolder = join(root, 'gateways', 'ss7');
const target = join(gatewayFolder, 'target');
const stamp = join(target, '.built-from');
const oldestJava = 17;

/** Builds it where its sources have changed; a first build downloads about 90 MB. Resolves with why it could not be built, or undefined. */
export async function buildGateway(say: (line: string) => void): Promise<string | undefined> {
  const problem = await missingTool();
  if (problem !== undefined) return problem;
  return await alone(join(root, '.tools', 'ss7.lock'), async () => {
    if (existsSync(stamp) && readFileSync(stamp, 'utf8') === sources()) return undefined;
    say('building the SS7 gateway (Maven), a minute or two the first time …');
    const built = await run('mvn', ['-q', '-B', '-DskipTests', 'package'], { cwd: gatewayFolder });
    if (built.code !== 0)
      return `the SS7 gateway was not built: ${built.output.trim().split('\n').slice(-15).join('\n')}`;
    mkdirSync(target, { recursive: true });
    writeFileSync(stamp, sources());
    return undefined;
  });
}

async function missingTool(): Promise<string | undefined> {
  const compiler = await run('javac', ['-version']);
  const version = Number(/^javac (\d+)/m.exec(compiler.output)?.[1] ?? 0);
  if (compiler.code !== 0) return `there is no JDK here: the SS7 gateway needs one, ${oldestJava} or newer`;
  if (version < oldestJava) return `the JDK here is ${version}: the SS7 gateway needs ${oldestJava} or newer`;
  const maven = await run('mvn', ['--version']);
  return maven.code === 0 ? undefined : 'there is no Maven here (mvn): the SS7 gateway is built with it';
}

function sources(): string {
  const files = ['pom.xml', ...globSync('src/main/**/*.*', { cwd: gatewayFolder }).toSorted()];
  const hash = createHash('sha256');
  for (const file of files) hash.update(`${file}\0`).update(readFileSync(join(gatewayFolder, file)));
  return hash.digest('hex');
}

/** Arguments of `java`. */
export function javaArguments(program: 'ramz.ss7.Main' | 'ramz.ss7.sandbox.Main', settingsFile: string): string[] {
  const libraries = readdirSync(join(target, 'lib')).map((name) => join(target, 'lib', name));
  return ['-cp', [join(target, 'classes'), ...libraries].join(delimiter), program, settingsFile];
}

/** One association: the ports of this machine at which each end is, and where each finds the other one. A gateway's own may be 0, any. */
export interface Link {
  gateway: { local: number; remote: number };
  network: { local: number; remote: number };
}

export interface Joined {
  /** 0 = any. */
  smppPort: number;
  password: string;
  links: readonly Link[];
  /** Settings of `map` beside the address. */
  map?: Record<string, number>;
}

export const systemId = 'ramz';

/** Point codes and titles are made up. */
const own = { pointCode: 1, title: '213550000002' };
const simulated = { pointCode: 2, title: '213600000001' };

interface Route {
  prefix: string;
  point_code: number;
  backup_point_code?: number;
  routing_indicator?: 'global_title' | 'subsystem';
}

/** What the gateway and the simulated network read at their start: gateways/ss7/src/main/resources/ramz/ss7/settings.schema.json. */
export interface SettingsFile {
  smpp: { port: number; system_id: string; password: string };
  http: { port: number };
  m3ua: {
    transport: 'tcp';
    role: 'asp' | 'ipsp_client' | 'ipsp_server';
    point_code: number;
    routing_context: number;
    associations: readonly {
      name: string;
      local_host: string;
      local_port: number;
      remote_host: string;
      remote_port: number;
      point_code: number;
    }[];
  };
  sccp: { global_title: string; routes: readonly Route[] };
  map: Record<string, string | number>;
}

/** Settings of the gateway and of the simulated network at the other end of its associations. */
export function joinedSettings({ smppPort, password, links, map = {} }: Joined): {
  gateway: SettingsFile;
  network: SettingsFile;
} {
  const side = (
    role: SettingsFile['m3ua']['role'],
    us: typeof own,
    them: typeof own,
    ends: readonly Link['gateway'][],
  ): SettingsFile => ({
    smpp: { port: smppPort, system_id: systemId, password },
    http: { port: 0 },
    m3ua: {
      transport: 'tcp',
      role,
      point_code: us.pointCode,
      routing_context: 101,
      associations: ends.map(({ local, remote }, at) => ({
        name: String.fromCharCode(97 + at),
        local_host: '127.0.0.1',
        local_port: local,
        remote_host: '127.0.0.1',
        remote_port: remote,
        point_code: them.pointCode,
      })),
    },
    sccp: { global_title: us.title, routes: [{ prefix: '', point_code: them.pointCode }] },
    map: { service_centre: us.title, ...map },
  });
  return {
    gateway: side(
      'ipsp_client',
      own,
      simulated,
      links.map(({ gateway }) => gateway),
    ),
    network: side(
      'ipsp_server',
      simulated,
      own,
      links.map(({ network }) => network),
    ),
  };
}

/** The operator entry that comes with the gateway (operator.json), for a gateway at this port. */
export function operatorEntry(
  port: number,
  password: string,
): Record<string, unknown> & { id: string; prefixes: string[] } {
  const entry = JSON.parse(readFileSync(join(gatewayFolder, 'operator.json'), 'utf8'));
  const [bind] = entry.binds;
  return { ...entry, binds: [{ ...bind, port, password }] };
}

/** What the simulated network writes, a line each: what it was asked for, and what its phones show. */
export interface NetworkEvent {
  kind: 'routing' | 'forward' | 'report' | 'alert' | 'shown';
  /** Digits, without `+`. */
  to: string;
  /** Of `shown` alone. */
  from?: string;
  text?: string;
}

/** Undefined where the line is none of them. */
export function networkEvent(line: string): NetworkEvent | undefined {
  return line.startsWith('{"kind"') ? JSON.parse(line) : undefined;
}
