// A bank of prompts: the clips of one language, loaded once at the start and checked then, in memory that the media thread shares.
// Recorded French digits of a Debian package take the place of synthesised ones where the package is installed.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ClipName, clipNames } from '../clip.ts';
import { type ClipFacts, clipFacts, clipProblems } from './check.ts';
import { prepareClip } from './prepare.ts';
import { type BankSource, parseSource } from './source.ts';
import { isDigit, type PromptLanguage } from './texts.ts';

/** The banks that come with Ramz: a folder for each language. */
export const ownBanks = fileURLToPath(new URL('../../../../prompts', import.meta.url));

/** Digits that a package of the system brings, and whose they are: CC BY-SA asks that the name is given. */
export interface RecordedDigits {
  /** Folder of `0.wav` to `9.wav`. */
  folder: string;
  package: string;
  attribution: string;
}

const recordedDigits: Partial<Record<PromptLanguage, RecordedDigits>> = {
  fr: {
    folder: '/usr/share/asterisk/sounds/fr_CA_f_June/digits',
    package: 'asterisk-core-sounds-fr-wav',
    attribution:
      'digits: June Wallack (Canadian French), Asterisk core sounds, CC BY-SA 3.0 (https://creativecommons.org/licenses/by-sa/3.0/), levelled and converted to A-law',
  },
};

export interface PromptBank {
  language: PromptLanguage;
  /** Where the clips come from, but for digits that a package brings. */
  folder: string;
  source: BankSource;
  /** A-law at 8000 samples a second. All are parts of one SharedArrayBuffer. */
  clips: ReadonlyMap<ClipName, Uint8Array>;
  facts: ReadonlyMap<ClipName, ClipFacts>;
  /** Clips that a synthesiser speaks, until a person has recorded them. */
  placeholders: readonly ClipName[];
  /** Digits of a package that are in use; null where the folder's own are. */
  recorded: RecordedDigits | null;
}

/** A problem names its file and what is wrong with it: one line for a person. */
export type BankLoaded = { kind: 'ok'; bank: PromptBank } | { kind: 'refused'; problems: string[] };

export interface BankChoice {
  language: PromptLanguage;
  /** The setting `voice.prompts.<language>`; null = the bank that comes with Ramz. */
  folder: string | null;
  /** Digits of packages, by language; default: those of `recordedDigits`. */
  recorded?: Partial<Record<PromptLanguage, RecordedDigits>>;
}

/** Reads and checks a whole bank. Never throws: a file that is missing is a problem as any other. */
export function loadBank({ language, folder, recorded = recordedDigits }: BankChoice): BankLoaded {
  const from = folder ?? join(ownBanks, language);
  const source = readSource(from, language);
  const read = new Map<ClipName, Uint8Array>();
  const problems = source.kind === 'refused' ? [source.problem] : [];
  if (readOrNull(join(from, 'LICENSE')) === null) problems.push(`${join(from, 'LICENSE')} is missing`);
  for (const name of clipNames) {
    const path = join(from, `${name}.al`);
    const clip = readOrNull(path);
    if (clip === null) problems.push(`${path} is missing`);
    else read.set(name, clip);
  }
  if (source.kind === 'refused' || problems.length > 0) return { kind: 'refused', problems };

  // A bank of one's own is spoken as it is; what a package brings is better than a synthesiser only.
  const offered = folder === null && source.source.placeholder ? recorded[language] : undefined;
  const digits = offered ? readDigits(offered) : null;
  for (const [name, clip] of digits ?? []) read.set(name, clip);
  const clips = shared(read);
  const facts = new Map([...clips].map(([name, clip]) => [name, clipFacts(clip)]));
  for (const [name, each] of facts) {
    const file = digits?.has(name) && offered ? join(offered.folder, `${name}.wav`) : join(from, `${name}.al`);
    problems.push(...clipProblems(name, each).map((problem) => `${file} ${problem}`));
  }
  if (problems.length > 0) return { kind: 'refused', problems };
  const placeholders = source.source.placeholder ? clipNames.filter((name) => !digits?.has(name)) : [];
  const taken = digits && offered ? offered : null;
  return {
    kind: 'ok',
    bank: { language, folder: from, source: source.source, clips, facts, placeholders, recorded: taken },
  };
}

type SourceFound = { kind: 'ok'; source: BankSource } | { kind: 'refused'; problem: string };

function readSource(folder: string, language: PromptLanguage): SourceFound {
  const path = join(folder, 'SOURCE');
  const bytes = readOrNull(path);
  if (bytes === null) return { kind: 'refused', problem: `${path} is missing: \`ramz prompts import\` writes it` };
  const parsed = parseSource(Buffer.from(bytes).toString('utf8'));
  if (parsed.kind === 'refused') return { kind: 'refused', problem: `${path} ${parsed.reason}` };
  if (parsed.source.language !== language)
    return { kind: 'refused', problem: `${path} says "${parsed.source.language}", and the bank is for "${language}"` };
  return parsed;
}

function readOrNull(path: string): Uint8Array | null {
  try {
    return readFileSync(path);
  } catch {
    return null;
  }
}

/** All ten digits, or null where the package is not installed or is another one than we know. */
function readDigits({ folder }: RecordedDigits): Map<ClipName, Uint8Array> | null {
  const digits = new Map<ClipName, Uint8Array>();
  for (const name of clipNames.filter(isDigit)) {
    const wav = readOrNull(join(folder, `${name}.wav`));
    const prepared = wav && prepareClip(name, wav);
    if (prepared?.kind !== 'ok') return null;
    digits.set(name, prepared.clip);
  }
  return digits;
}

/** The same clips, in one buffer that threads share instead of copying it. */
function shared(clips: ReadonlyMap<ClipName, Uint8Array>): Map<ClipName, Uint8Array> {
  const buffer = new SharedArrayBuffer([...clips.values()].reduce((sum, clip) => sum + clip.length, 0));
  let at = 0;
  return new Map(
    [...clips].map(([name, clip]) => {
      const place = new Uint8Array(buffer, at, clip.length);
      place.set(clip);
      at += clip.length;
      return [name, place];
    }),
  );
}

/** What the log says at the start about synthesised clips; null where people recorded all of them. */
export function placeholderWarning({ language, placeholders }: PromptBank): string | null {
  if (placeholders.length === 0) return null;
  const what = placeholders.length === clipNames.length ? 'all clips' : 'the sentences';
  return `placeholder prompts: a synthesiser speaks ${what} in "${language}"; have them recorded (prompts/RECORDING.md), then set voice.prompts.${language}`;
}
