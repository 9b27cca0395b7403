// The key ring where it is kept, for the verbs that change it: a file, or a folder with a file for each purpose. A file is replaced whole, so
// that a process that reads it meanwhile reads the old one or the new one.

import {
  chownSync,
  closeSync,
  fchmodSync,
  fsyncSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { type KeyRingPlace, keyRingText, purposeFile } from '../../config.ts';
import { type KeyRing, keyPurposes, parseKeyRing } from '../../core/secrets/key-ring.ts';
import { Refusal } from '../command.ts';

export interface KeptRing {
  place: KeyRingPlace;
  json: string;
  ring: KeyRing;
}

/** @throws Refusal */
export function readRing(env: NodeJS.ProcessEnv): KeptRing {
  const { value, errors } = keyRingText({ env, readFile: (path) => readFileSync(path, 'utf8') });
  if (!value) throw new Refusal(errors.map(({ path, message }) => `${path}: ${message}`).join('\n'), 1);
  const parsed = parseKeyRing(value.json);
  if (parsed.kind === 'invalid') throw new Refusal(parsed.errors.join('\n'), 1);
  return { ...value, ring: parsed.ring };
}

/** Writes what has changed. @throws Refusal where the ring can't be written here. */
export function writeRing({ place, json: before }: KeptRing, json: string): void {
  if (place.kind === 'variable') throw new Refusal(notHere('it is the variable RAMZ_KEYS'), 1);
  if (place.kind === 'file') {
    replace(place.path, json);
    return;
  }
  const [old, next] = [before, json].map((text) => JSON.parse(text) as Record<string, unknown>);
  for (const purpose of keyPurposes) {
    const [was, is] = [old?.[purpose], next?.[purpose]].map((section) => JSON.stringify(section, null, 2));
    if (is !== undefined && is !== was) replace(purposeFile(place.path, purpose), `${is}\n`);
  }
}

/** Owner and mode stay: the service must be able to read it, and nobody else. */
function replace(path: string, text: string): void {
  try {
    const target = realpathSync(path);
    const draft = `${target}.new`;
    const { mode, uid, gid } = statSync(target);
    rmSync(draft, { force: true });
    const file = openSync(draft, 'wx', 0o600);
    try {
      writeSync(file, text);
      fchmodSync(file, mode & 0o777);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    const own = statSync(draft);
    if (own.uid !== uid || own.gid !== gid) chownSync(draft, uid, gid);
    renameSync(draft, target);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    throw new Refusal(notHere(`${path} can't be written (${code})`), 1);
  }
}

const notHere = (why: string): string =>
  `the key ring can not be changed from here: ${why}. With --print the changed ring goes to stdout: put it where it is kept, and run this again`;
