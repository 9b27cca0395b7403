// Recordings become a bank: the WAV files of a folder or a ZIP archive are prepared, and the folder of the bank is written whole or not at
// all. Every file that is refused is named, with its reason, so that one round of recording again is enough.

import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';
import { type ClipName, clipNames } from '../clip.ts';
import type { ClipFacts } from './check.ts';
import { prepareClip } from './prepare.ts';
import { type BankSource, CC0, clipTexts, NO_LICENCE, sourceText } from './source.ts';
import type { PromptLanguage } from './texts.ts';
import { readZip } from './zip.ts';

/** The speaker's words on who may use the recordings; prompts/RECORDING.md has them. */
const CONSENT = 'CONSENT.txt';

/** Path within the folder or archive → bytes. */
export type Files = ReadonlyMap<string, Uint8Array>;

export type Collected = { kind: 'ok'; files: Files } | { kind: 'refused'; problems: string[] };

const isWanted = (path: string): boolean => basename(path) === CONSENT || extname(path).toLowerCase() === '.wav';

/** The recordings at `path`: of a folder those directly in it or in its folder `language`, of an archive all. */
export function collect(path: string, language: PromptLanguage): Collected {
  try {
    if (extname(path).toLowerCase() !== '.zip') return { kind: 'ok', files: filesOf(path, language) };
    const read = readZip(readFileSync(path), isWanted);
    return read.kind === 'ok' ? read : { kind: 'refused', problems: [`${path} ${read.reason}`] };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    const reason = code === 'ENOENT' ? 'is missing' : code === 'ENOTDIR' ? 'is neither a folder nor a .zip' : code;
    return { kind: 'refused', problems: [`${path} ${reason}`] };
  }
}

function filesOf(folder: string, language: PromptLanguage): Files {
  const inner = join(folder, language);
  const from = existsSync(inner) ? inner : folder;
  return new Map(
    readdirSync(from)
      .filter(isWanted)
      .map((name) => [name, readFileSync(join(from, name))]),
  );
}

export interface MadeBank {
  /** Name → bytes of every file of the bank's folder. */
  files: Map<string, Uint8Array>;
  facts: Map<ClipName, ClipFacts>;
}

export type Made = { kind: 'ok'; bank: MadeBank } | { kind: 'refused'; problems: string[] };

/** All files of a bank, made of `recordings`: one WAV file a clip, named for it. `madeBy` goes into SOURCE. */
export function makeBank(language: PromptLanguage, recordings: Files, madeBy: string): Made {
  const problems: string[] = [];
  const files = new Map<string, Uint8Array>();
  const facts = new Map<ClipName, ClipFacts>();
  for (const name of clipNames) {
    const found = [...recordings.keys()].filter((path) => basename(path).toLowerCase() === `${name}.wav`);
    // An archive of two languages has a folder for each.
    const ours = found.filter((path) => dirname(path).split('/').includes(language));
    const [path, other] = ours.length > 0 ? ours : found;
    if (path === undefined) problems.push(`${name}.wav is missing`);
    else if (other !== undefined) problems.push(`${name}.wav is there twice: ${path} and ${other}`);
    else {
      const prepared = prepareClip(name, recordings.get(path)!);
      if (prepared.kind === 'refused') problems.push(`${path} ${prepared.reason}`);
      else {
        files.set(`${name}.al`, prepared.clip);
        facts.set(name, prepared.facts);
      }
    }
  }
  if (problems.length > 0) return { kind: 'refused', problems };
  for (const [name, text] of papers(language, recordings, madeBy)) files.set(name, Buffer.from(text));
  return { kind: 'ok', bank: { files, facts } };
}

/** LICENSE and SOURCE. Without the speaker's consent there is no licence that others could rely on. */
function papers(language: PromptLanguage, recordings: Files, made_by: string): [name: string, text: string][] {
  const path = [...recordings.keys()].find((each) => basename(each) === CONSENT);
  const consent = path === undefined ? '' : Buffer.from(recordings.get(path)!).toString('utf8').trim();
  const isFree = /\bCC0\b/.test(consent);
  const licence = isFree ? 'CC0-1.0' : null;
  const source: BankSource = { language, placeholder: false, made_by, licence, clips: clipTexts(language) };
  const license = `${isFree ? CC0 : NO_LICENCE}${consent && `\nThe speaker's own words (${CONSENT}):\n\n${consent}\n`}`;
  return [
    ['LICENSE', license],
    ['SOURCE', sourceText(source)],
  ];
}

/** Null when it is written, else why it is not: then the folder is as it was. */
export function writeBank(to: string, { files }: MadeBank): string | null {
  if (existsSync(to) && !isBankOrEmpty(to)) return `${to} is no bank of prompts: it is left as it is`;
  // Behind a link the folder itself is replaced, and the link stays.
  const target = existsSync(to) ? realpathSync(to) : to;
  const [fresh, old] = [`${target}.new-${process.pid}`, `${target}.old-${process.pid}`];
  try {
    mkdirSync(fresh, { recursive: true });
    for (const [name, bytes] of files) writeFileSync(join(fresh, name), bytes);
    const wasThere = existsSync(target);
    if (wasThere) renameSync(target, old);
    try {
      renameSync(fresh, target);
    } catch (error) {
      if (wasThere) renameSync(old, target);
      throw error;
    }
    rmSync(old, { recursive: true, force: true });
    return null;
  } catch (error) {
    rmSync(fresh, { recursive: true, force: true });
    return `${to} can't be written: ${(error as NodeJS.ErrnoException).code ?? error}`;
  }
}

/** What may be replaced. Anything else in the way was named by mistake. */
function isBankOrEmpty(folder: string): boolean {
  try {
    const names = readdirSync(folder);
    return names.length === 0 || names.includes('SOURCE');
  } catch {
    return false;
  }
}
