// `ramz prompts`: the clips that calls are made of. Lists the banks in use, plays a code as a caller would hear it, and makes a bank of
// recordings. It needs no running service and no database.

import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { alawToLinear } from '../channels/voice/alaw.ts';
import { type Bank, octetsOf, samplesPerMs } from '../channels/voice/clip.ts';
import { type BankLoaded, loadBank, type PromptBank, placeholderWarning } from '../channels/voice/prompts/bank.ts';
import { collect, makeBank, writeBank } from '../channels/voice/prompts/import.ts';
import { type PromptLanguage, promptLanguages } from '../channels/voice/prompts/texts.ts';
import { writeWav } from '../channels/voice/prompts/wav.ts';
import { Reading } from '../channels/voice/reading.ts';
import { oneOf, Refusal, text } from './command.ts';
import { command, type Program, runProgram } from './program.ts';

export interface PromptsOptions {
  env: NodeJS.ProcessEnv;
  say(line: string): void;
  /** What went wrong: sound may go where `say` does. */
  complain(line: string): void;
  /** For sound, which is no text. */
  write(bytes: Uint8Array): void;
}

const program: Program<PromptsOptions> = {
  call: 'npm run --silent ramz -- prompts',
  commands: [
    command({
      names: ['list'],
      usage: `
  list
      the banks in use: where they are, whose voice it is, what is a placeholder`,
      run: async ({ env, say, complain }: PromptsOptions) =>
        withFolders(env, complain, (folders) => list(folders, say)),
    }),
    command({
      names: ['play'],
      usage: `
  play <code> [--lang ar|fr] > code.wav
      the call that reads a code, as its sound`,
      takes: ['<code>'],
      options: { lang: text },
      run: async ({ env, complain, write }: PromptsOptions, { words: [code = ''], values: { lang = 'ar' } }) => {
        const language = oneOf('--lang', lang, promptLanguages);
        if (!/^\d{1,10}$/.test(code)) throw new Refusal('<code> must be 1 to 10 digits', 2);
        return withFolders(env, complain, (folders) => play({ code, language }, folders, { complain, write }));
      },
    }),
    command({
      names: ['import'],
      usage: `
  import <folder or ZIP> [--lang ar|fr] [--to <folder>]
      makes a bank of recordings (0.wav … 9.wav, intro.wav, press.wav, again.wav, bye.wav; prompts/RECORDING.md):
      all of it, or nothing and what is wrong with which file. --lang is ar, --to is <RAMZ_DATA>/prompts/<lang>`,
      takes: ['<folder or ZIP>'],
      options: { lang: text, to: text },
      run: async ({ env, say }: PromptsOptions, { words: [from = ''], values: { lang = 'ar', to } }) => {
        const language = oneOf('--lang', lang, promptLanguages);
        return importBank({ from, language, to: to ?? join(env.RAMZ_DATA || '.data', 'prompts', language) }, say);
      },
    }),
  ],
  notes: `

\`ramz doctor prompts\` checks the banks in use.`,
};

/** Resolves with the exit code: 0 done, 1 refused, 2 not understood. */
export const prompts = (args: readonly string[], options: PromptsOptions): Promise<number> =>
  runProgram(program, { args, ...options }, (run) => run(options));

/** Setting `voice.prompts.<language>` of each language; null = the bank that comes with Ramz. */
type PromptFolders = Record<PromptLanguage, string | null>;

/**
 * The folders that the configuration file names. Only they are read: a bank can be checked where other settings are still wrong.
 * Says what is wrong and returns 1 where the file can't be read.
 */
function withFolders(
  env: NodeJS.ProcessEnv,
  say: (line: string) => void,
  then: (folders: PromptFolders) => number,
): number {
  const path = env.RAMZ_CONFIG;
  let file: { voice?: { prompts?: Partial<Record<string, unknown>> } | null } | null = {};
  try {
    if (path) file = JSON.parse(readFileSync(path, 'utf8').replace(/^\uFEFF/, ''));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    say(`RAMZ_CONFIG: ${path} ${code ? `cannot be read: ${code}` : 'is not valid JSON'}`);
    return 1;
  }
  const named = (language: PromptLanguage) => file?.voice?.prompts?.[language];
  const folder = (language: PromptLanguage) => (typeof named(language) === 'string' ? String(named(language)) : null);
  return then({ ar: folder('ar'), fr: folder('fr') });
}

function list(folders: PromptFolders, say: (line: string) => void): number {
  const all = promptLanguages.map((language) => describe(loadBank({ language, folder: folders[language] }), language));
  for (const { lines } of all) for (const line of lines) say(line);
  return all.every(({ ok }) => ok) ? 0 : 1;
}

function describe(loaded: BankLoaded, language: PromptLanguage): { ok: boolean; lines: string[] } {
  if (loaded.kind === 'refused')
    return { ok: false, lines: [`${language}  not usable`, ...loaded.problems.map((problem) => `    ${problem}`)] };
  const { bank } = loaded;
  const { folder, source, recorded } = bank;
  const { synthesiser: by } = source;
  const voice = by ? `${by.program} ${by.version}, voice ${by.voice}` : source.made_by;
  const lines = [
    `${language}  ${folder}`,
    `    ${source.placeholder ? 'placeholder' : 'recorded'}: ${voice}`,
    `    licence: ${source.licence ?? 'none given: for this deployment alone'}`,
  ];
  if (recorded) lines.push(`    ${recorded.attribution}; package ${recorded.package}`);
  return { ok: true, lines };
}

function play(
  { code, language }: { code: string; language: PromptLanguage },
  folders: PromptFolders,
  { complain, write }: Pick<PromptsOptions, 'complain' | 'write'>,
): number {
  const loaded = loadBank({ language, folder: folders[language] });
  if (loaded.kind === 'refused') {
    for (const problem of loaded.problems) complain(problem);
    return 1;
  }
  write(writeWav(Int16Array.from(reading(code, loaded.bank.clips), alawToLinear), 8_000));
  return 0;
}

/** The sound of a call whose receiver presses a key 2 s after the request for one, and no other: what it would record. */
function reading(code: string, clips: Bank): Uint8Array {
  const heard: Uint8Array[] = [];
  const call = new Reading({ code, requireKey: true });
  let now = 0;
  const silence = (ms: number) => {
    heard.push(octetsOf({ silenceMs: ms }, clips));
    now += ms;
  };
  let next = call.take({ kind: 'answered' }, now);
  for (let asked = true; next.length > 0; ) {
    const said = next.find((output) => output.kind === 'say');
    if (said === undefined) break;
    for (const clip of said.clips) {
      const octets = octetsOf(clip, clips);
      heard.push(octets);
      now += octets.length / samplesPerMs;
    }
    next = call.take({ kind: 'played', token: said.token }, now);
    if (next.length > 0) continue;
    // It waits: for a key the first time, in vain the second.
    silence(asked ? 2_000 : (call.nextAt() ?? now) - now);
    next = call.take(asked ? { kind: 'key', digit: '5' } : { kind: 'tick' }, now);
    asked = false;
  }
  return Buffer.concat(heard);
}

function importBank(
  { from, language, to }: { from: string; language: PromptLanguage; to: string },
  say: (line: string) => void,
): number {
  const refuse = (problems: readonly string[]) => {
    for (const problem of problems) say(problem);
    say(`nothing was written to ${to}`);
    return 1;
  };
  const collected = collect(from, language);
  if (collected.kind === 'refused') return refuse(collected.problems);
  const made = makeBank(language, collected.files, 'ramz prompts import');
  if (made.kind === 'refused') return refuse(made.problems);
  const problem = writeBank(to, made.bank);
  if (problem !== null) return refuse([problem]);
  for (const line of table(made.bank.facts)) say(line);
  say(`\nwritten to ${to}. The service speaks it with this in its configuration file, after a restart:`);
  say(`  "voice": { "prompts": { ${JSON.stringify(language)}: ${JSON.stringify(resolve(to))} } }`);
  return 0;
}

/** One line a clip: its length and level. */
function table(facts: PromptBank['facts']): string[] {
  return [...facts].map(([name, { lengthMs, levelDb, clipped }]) => {
    const level = levelDb === null ? 'silent' : `${levelDb.toFixed(1)} dBFS`;
    return `  ${name.padEnd(6)} ${(lengthMs / 1_000).toFixed(2).padStart(6)} s  ${level.padStart(10)}  ${(clipped * 100).toFixed(1)} % clipped`;
  });
}

/** `ramz doctor prompts`: every bank in use, checked clip by clip. Exit code 1 where one can't be used. */
export function doctorPrompts({ env, say }: Pick<PromptsOptions, 'env' | 'say'>): number {
  return withFolders(env, say, (folders) => {
    const loaded = promptLanguages.map((language) => ({
      language,
      bank: loadBank({ language, folder: folders[language] }),
    }));
    for (const { language, bank } of loaded) {
      const { ok, lines } = describe(bank, language);
      for (const line of lines) say(line);
      if (bank.kind === 'ok') {
        for (const line of table(bank.bank.facts)) say(line);
        say(`  ${placeholderWarning(bank.bank) ?? 'recorded by people'}`);
      }
      say(ok ? '' : '  calls in this language fail until this is mended\n');
    }
    return loaded.every(({ bank }) => bank.kind === 'ok') ? 0 : 1;
  });
}
