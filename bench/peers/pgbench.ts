// Runs the reference: by pgbench where it is installed (Debian: package postgresql), else by node-pg, which is slower and said so.

import { spawn } from 'node:child_process';
import { accessSync, constants, readdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import pg from 'pg';
import { keyMark } from './one-cte-per-step.ts';

export interface ReferenceRun {
  /** Of the database's superuser. */
  url: string;
  steps: readonly string[];
  clients: number;
  seconds: number;
  /** Where the script may be written. */
  directory: string;
}

/** Path of pgbench: on PATH, or where Debian puts it. */
export function findPgbench(env: NodeJS.ProcessEnv = process.env): string | null {
  const debian = '/usr/lib/postgresql';
  const versions = list(debian).map((version) => join(debian, version, 'bin'));
  for (const directory of [...(env.PATH ?? '').split(delimiter), ...versions]) {
    const path = join(directory, 'pgbench');
    try {
      accessSync(path, constants.X_OK);
      return path;
    } catch {
      // Not here.
    }
  }
  return null;
}

function list(directory: string): string[] {
  try {
    return readdirSync(directory).toSorted().toReversed();
  } catch {
    return [];
  }
}

/** Verifications a second, every step its own transaction. Prepared statements. */
export async function runPgbench(program: string, run: ReferenceRun): Promise<number> {
  const { url, steps, clients, seconds, directory } = run;
  const script = join(directory, 'verification.sql');
  const statements = steps.map((step) => `${step.replaceAll(keyMark, ':key')};`);
  writeFileSync(script, ['\\set n :n + 1', '\\set key :n * 100 + :client_id', ...statements].join('\n'));
  const { hostname, port, username, password, pathname } = new URL(url);
  const args = ['--no-vacuum', '--protocol=prepared', `--client=${clients}`, '--jobs=2', `--time=${seconds}`];
  args.push('--define=n=0', `--file=${script}`, `--host=${hostname}`, `--port=${port}`, `--username=${username}`);
  const output = await outputOf(program, [...args, pathname.slice(1)], { ...process.env, PGPASSWORD: password });
  const tps = /^tps = ([\d.]+)/m.exec(output)?.[1];
  if (tps === undefined || !/number of failed transactions: 0 /.test(output))
    throw new Error(`pgbench said:\n${output}`);
  return Number(tps);
}

function outputOf(program: string, args: string[], env: NodeJS.ProcessEnv): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    }
    child.on('error', reject);
    child.on('close', (code) =>
      code === 0 ? resolve(output) : reject(new Error(`pgbench ended with ${code}:\n${output}`)),
    );
  });
}

/** The same by node-pg: one connection a client, named statements. */
export async function runNodePg({ url, steps, clients, seconds }: ReferenceRun): Promise<number> {
  const until = performance.now() + seconds * 1000;
  const statements = steps.map((step, index) => ({
    name: `step${index}`,
    text: step.replaceAll(keyMark, '$1::bigint'),
  }));
  let done = 0;
  const worker = async (_: unknown, index: number) => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      for (let n = 1; performance.now() < until; n += 1) {
        for (const statement of statements) await client.query({ ...statement, values: [n * 100 + index] });
        done += 1;
      }
    } finally {
      await client.end();
    }
  };
  await Promise.all(Array.from({ length: clients }, worker));
  return done / seconds;
}
