// An SMSC on Perl's Net::SMPP (../smpp/smsc.pl) as a child process, and what it read off the wire.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { afterEach, test } from 'vitest';
import { startProcess } from '../../support/process.ts';
import { type ToolTest, toolPath } from '../../support/tool.ts';
import { until } from '../../support/wait.ts';

const script = join(import.meta.dirname, '..', 'smpp', 'smsc.pl');

/** Whether Perl and Net::SMPP are there. */
export const hasPerl =
  spawnSync(toolPath('perl') ?? 'perl', ['-MNet::SMPP', '-MJSON::PP', '-e', '1'], { stdio: 'ignore' }).status === 0;

/** `test` where they are; else a `test` that skips and says so. */
export const perlTest: ToolTest = (name, run, timeoutMs) =>
  hasPerl ? test(name, run, timeoutMs) : test(name, ({ skip }) => skip('Perl’s Net::SMPP is not installed'));

/** How it writes ids and receipts; see the head of the script. */
export interface Habits {
  answer: 'hex' | 'decimal';
  receipt: 'hex' | 'decimal' | 'padded';
  /** Default: as `receipt`. */
  tlv?: 'hex' | 'decimal';
  early: boolean;
  carrier: 'text' | 'tlvs' | 'data_sm' | 'payload';
  /** Default `DELIVRD`. */
  stat?: string;
  err?: string;
  binds?: number[];
  submits?: number[];
  unbinds?: boolean;
  esm_class?: number;
  source?: 'national';
  done?: string;
}

/** A PDU in the words of Net::SMPP; octets (short_message, message_payload, data) as hex. */
export type PerlPdu = { pdu: string; status: number } & Record<string, string | number>;

export interface PerlSmsc {
  port: number;
  /** Waits for the nth PDU of that name, counted from 1. */
  got(name: string, nth?: number): Promise<PerlPdu>;
  read(name: string): PerlPdu[];
  end(): Promise<unknown>;
}

export const credentials = { systemId: 'ramz', password: 'perl-pw1' };

const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  await Promise.all(ends.splice(0).map((end) => end()));
});

/** Ends with the test. */
export async function perlSmsc(habits: Habits): Promise<PerlSmsc> {
  const smsc = await startPerlSmsc(habits);
  ends.push(smsc.end);
  return smsc;
}

/** Ends when it is told to. */
export async function startPerlSmsc(habits: Habits): Promise<PerlSmsc> {
  const argument = { ...habits, system_id: credentials.systemId, password: credentials.password };
  const perl = startProcess('perl', { args: [script, JSON.stringify(argument)] });
  const [, port = ''] = await perl.waitFor(/\{"listening":(\d+)\}/);
  const read = (name: string) => {
    const lines = perl.output().split('\n').slice(0, -1); // the last one may be half written
    const pdus = lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line) as PerlPdu);
    return pdus.filter(({ pdu }) => pdu === name);
  };
  const got = (name: string, nth = 1) =>
    until(() => read(name)[nth - 1], { what: `${nth} × ${name} at Net::SMPP` }).catch((error: Error) => {
      throw new Error(`${error.message}; it wrote:\n${perl.output()}`);
    });
  return { port: Number(port), got, read, end: () => perl.end() };
}
