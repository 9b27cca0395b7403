// The key ring of the environment: RAMZ_KEY_RING names a file, or a folder with a file for each purpose, and RAMZ_KEYS is the ring itself. Its
// text is held no longer than it is read: what stays in memory are KeyObjects, which no heap snapshot shows.

import { join } from 'node:path';
import { type KeyRing, keyPurposes, parseKeyRing } from '../core/secrets/key-ring.ts';
import { type ConfigProblem, type ConfigSources, fileText, type Loaded } from './problem.ts';

/** Where a ring is kept. A variable can't be changed from outside its process. */
export type KeyRingPlace = { kind: 'file' | 'folder'; path: string } | { kind: 'variable' };

interface KeyRingText {
  place: KeyRingPlace;
  /** The whole ring, from a folder too. */
  json: string;
}

/** Without keys nothing can be signed, derived or checked, so a start without them fails. */
export function keyRingText({ env, readFile }: ConfigSources): Loaded<KeyRingText> {
  const { RAMZ_KEY_RING: path, RAMZ_KEYS: json } = env;
  const wrong = (variable: string, message: string) => ({ errors: [{ path: variable, message }] });
  if (path && json) return wrong('RAMZ_KEYS', 'is set beside RAMZ_KEY_RING: only one of them can be the key ring');
  if (json) return { value: { place: { kind: 'variable' }, json }, errors: [] };
  if (!path) return wrong('RAMZ_KEY_RING', 'is missing: set it to the path of the key ring, or RAMZ_KEYS to its JSON');
  const { value, errors } = textAt(path, readFile);
  return value ? { value, errors: [] } : { errors: errors.map((message) => ({ path: 'RAMZ_KEY_RING', message })) };
}

/** Errors name the path and never the value. */
export function loadKeyRing(sources: ConfigSources): Loaded<KeyRing> {
  const { value, errors } = keyRingText(sources);
  if (!value) return { errors };
  const parsed = parseKeyRing(value.json);
  if (parsed.kind === 'ok') return { value: parsed.ring, errors: [] };
  const path = value.place.kind === 'variable' ? 'RAMZ_KEYS' : 'RAMZ_KEY_RING';
  return { errors: parsed.errors.map((message): ConfigProblem => ({ path, message })) };
}

/** The file of a purpose in a folder. */
export const purposeFile = (folder: string, purpose: string): string => join(folder, `${purpose}.json`);

interface Read {
  value?: KeyRingText;
  /** For people; with the path in each. */
  errors: string[];
}

const noRing = (path: string): Read => ({ errors: [`${path} cannot be read or is empty`] });

function textAt(path: string, readFile: ConfigSources['readFile']): Read {
  try {
    const json = fileText(readFile, path);
    return json.trim() === '' ? noRing(path) : { value: { place: { kind: 'file', path }, json }, errors: [] };
  } catch (error) {
    return codeOf(error) === 'EISDIR' ? folderText(path, readFile) : noRing(path);
  }
}

/**
 * A file that is not there is a purpose that is missing: `parseKeyRing` names it, where it must be there. One that can't be read is an error:
 * the process would start without keys that the ring has.
 */
function folderText(path: string, readFile: ConfigSources['readFile']): Read {
  const members: string[] = [];
  const errors: string[] = [];
  for (const purpose of keyPurposes) {
    const file = purposeFile(path, purpose);
    try {
      members.push(`${JSON.stringify(purpose)}:${fileText(readFile, file)}`);
    } catch (error) {
      const code = codeOf(error);
      if (code !== 'ENOENT') errors.push(`${file} cannot be read${code ? ` (${code})` : ''}`);
    }
  }
  if (errors.length > 0) return { errors };
  if (members.length === 0) return noRing(path);
  return { value: { place: { kind: 'folder', path }, json: `{${members.join(',')}}` }, errors };
}

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code;
