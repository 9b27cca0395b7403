// What the commands share: words are read, help is printed, a refusal is said and becomes the exit code, and a signal ends what runs on.

import { once } from 'node:events';
import { accessSync, constants } from 'node:fs';
import { constants as system } from 'node:os';
import { join, resolve } from 'node:path';
import { type ParseArgsConfig, parseArgs } from 'node:util';
import { isOneLine, onOneLine } from '../core/one-line.ts';
import { Refused } from '../core/refused.ts';
import { othersData } from '../db/embedded/identity.ts';

/** The end of a command that is no bug. */
export class Refusal extends Refused {
  override name = 'Refusal';
  /** 1 = refused, 2 = not understood: the usage is shown with it. */
  readonly exitCode: 1 | 2;

  constructor(message: string, exitCode: 1 | 2) {
    super(message);
    this.exitCode = exitCode;
  }
}

export interface VerbOptions {
  env: NodeJS.ProcessEnv;
  /** To stdout: what was asked for. It may go into a file. */
  say(line: string): void;
  /** To stderr: refusals, and remarks beside what was asked for; by default `say`. */
  complain?(line: string): void;
}

export interface CommandLine extends Pick<VerbOptions, 'say' | 'complain'> {
  args: readonly string[];
  usage: string;
}

/** Resolves with the exit code: what `work` resolves with (0 where that is nothing), or the refusal's, or 0 for help. */
export async function exitCodeOf(
  { args, usage, say, complain = say }: CommandLine,
  work: () => Promise<number> | Promise<void>,
): Promise<number> {
  if (args[0] === 'help' || args.includes('--help')) {
    say(usage);
    return 0;
  }
  try {
    return (await work()) ?? 0;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    // What is wrong stands last, where it is seen.
    complain(error.exitCode === 2 ? `${usage}\n\n${error.message}` : error.message);
    return error.exitCode;
  }
}

/**
 * What is in a data directory that is closed to this user would be taken for missing. @param file One in it that has to be readable, where it is there.
 * @throws Refusal
 */
export function requireReach(
  env: NodeJS.ProcessEnv,
  { file, change = false }: { file?: string; change?: boolean } = {},
): void {
  const directory = resolve(env.RAMZ_DATA || '.data');
  requireAccess(directory, constants.X_OK | (change ? constants.R_OK | constants.W_OK : 0));
  if (file !== undefined) requireAccess(join(directory, file), constants.R_OK);
}

function requireAccess(path: string, mode: number): void {
  try {
    accessSync(path, mode);
  } catch (error) {
    if ((error as { code?: string }).code === 'EACCES') throw new Refusal(othersData(path), 1);
  }
}

/** A signal that comes so soon is the same one: systemd gives it to every process of a service, and npm and scripts/up.mjs pass theirs on. */
const sameMs = 500;

/**
 * For what runs until it is ended. The first signal ends it in order; the end of the process that started us counts as one. The reason is which.
 * A later signal ends it at once, with the exit code that a shell gives it.
 */
export function endSignal(): AbortSignal {
  const ending = new AbortController();
  let firstAt: number | undefined;
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => {
      firstAt ??= performance.now();
      if (performance.now() - firstAt > sameMs) process.exit(128 + system.signals[signal]);
      ending.abort(signal);
    });
  process.once('disconnect', () => ending.abort('the starter has gone'));
  return ending.signal;
}

/** Resolves when it is aborted, or has been. */
export async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort');
}

/** For lines that others have written parts of, as the name of an account: what they wrote moves no cursor and begins no line of its own. */
export const lineByLine =
  (say: (line: string) => void): ((line: string) => void) =>
  (line) =>
    say(onOneLine(line));

/** Rows that one statement reads at most. */
export const pageSize = 1_000;

/** Says a line for each row, page by page, and returns how many there are. `read` is given the row that ended the page before; null = from the start. */
export async function sayPages<Row>(
  read: (last: Row | null) => Promise<readonly Row[]>,
  say: (row: Row) => void,
): Promise<number> {
  let count = 0;
  let last: Row | null = null;
  do {
    const rows: readonly Row[] = await read(last);
    for (const row of rows) say(row);
    count += rows.length;
    last = rows.length === pageSize ? (rows.at(-1) ?? null) : null;
  } while (last !== null);
  return count;
}

/** The same, where `read` is given the id of that row. */
export const sayRows = <Row extends { id: string }>(
  read: (last: string | null) => Promise<readonly Row[]>,
  say: (row: Row) => void,
): Promise<number> => sayPages((last) => read(last?.id ?? null), say);

export type Options = NonNullable<ParseArgsConfig['options']>;

/** Options, for `readWords`: with a value, with several values, without any. */
export const text = { type: 'string' } as const;
export const texts = { type: 'string', multiple: true } as const;
export const flag = { type: 'boolean' } as const;

export type Read<Known extends Options> = ReturnType<typeof readWords<Known>>;

/**
 * @param takes The words as the usage names them: `<account id>` is needed, `[<account id>]` may be left out, a last one with … may be repeated.
 * @throws Refusal that names the option or the word at fault.
 */
export function readWords<Known extends Options>(args: readonly string[], options: Known, takes: readonly string[]) {
  const { values, positionals: words } = parsed(args, options);
  const missing = takes.filter((word) => !word.startsWith('['))[words.length];
  if (missing !== undefined) throw new Refusal(`${missing} is missing`, 2);
  const extra = takes.at(-1)?.includes('…') ? undefined : words[takes.length];
  if (extra !== undefined) throw new Refusal(`${quoted(extra)} is one word too many`, 2);
  return { values, words };
}

function parsed<Known extends Options>(args: readonly string[], options: Known) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    // It names the option at fault. What follows the first sentence is about words that begin with a dash.
    const [said = ''] = error.message.split('. ');
    throw new Refusal(said, 2);
  }
}

/** Characters that a text has at most, and whether it may have several lines: as in the contract, which shows to others what is stored here. */
export const textBounds = {
  name: { most: 100, severalLines: false },
  reason: { most: 200, severalLines: false },
  note: { most: 200, severalLines: false },
  /** The reason of a decision, which the account that it is about can read. */
  decision: { most: 500, severalLines: true },
} as const;

/** The text without the space around it. @param word As in the usage: one in angle brackets must not be empty. @throws Refusal that names it */
export function readText(word: string, text: string, bounds: keyof typeof textBounds): string {
  const { most, severalLines } = textBounds[bounds];
  const read = text.trim();
  if (word.startsWith('<') && read === '') throw new Refusal(`${word} must not be empty`, 2);
  if ([...read].length > most) throw new Refusal(`${word} must be at most ${most} characters long`, 2);
  if (!severalLines && !isOneLine(read))
    throw new Refusal(`${word} must be one line, without control characters and direction marks`, 2);
  return read;
}

/** What was typed; of a phone number its beginning. (core/phone.ts is not for every command: its metadata takes long to load.) */
export const quoted = (word: string): string => `"${/^\+?[0-9]{7,}$/.test(word) ? `${word.slice(0, 5)}…` : word}"`;

/** @throws Refusal that lists the words. */
export function oneOf<Word extends string>(option: string, word: string, words: readonly Word[]): Word {
  const found = words.find((each) => each === word);
  if (found === undefined) throw new Refusal(`${option} must be one of ${words.join(', ')}`, 2);
  return found;
}

/** Words with commas between them, in the order of `words`; by default all. @throws Refusal that lists the words. */
export function someOf<Word extends string>(option: string, text: string | undefined, words: readonly Word[]): Word[] {
  const asked = text?.split(',').map((word) => oneOf(option, word.trim(), words)) ?? words;
  return words.filter((word) => asked.includes(word));
}

/**
 * Unix ms of a day or a time in UTC: `2027-01-31`, `2027-01-31T14:00Z`, or as lists print it; NaN for anything else. `Date.parse` alone takes `45`
 * for the year 2045, `5/6/27` for a day in May, and 31 February for 3 March.
 */
export function utcTime(text: string): number {
  const [, day] = /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?Z)?$/.exec(text) ?? [];
  const at = day === undefined ? Number.NaN : Date.parse(text);
  return day !== undefined && at >= 0 && new Date(at).toISOString().startsWith(day) ? at : Number.NaN;
}

/** Unix ms; null = not given: never. @throws Refusal */
export function expiryOf(text: string | undefined, now: number): number | null {
  if (text === undefined) return null;
  const at = utcTime(text);
  if (Number.isNaN(at) || at <= now)
    throw new Refusal('--expires must be a day or time (UTC) in the future: 2027-01-31 or 2027-01-31T14:00Z', 2);
  return at;
}
