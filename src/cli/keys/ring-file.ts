// The key ring where it is kept, for the verbs that change it: a file, or a folder with a file for each purpose. A file is replaced whole, so
// that a process that reads it meanwhile reads the old one or the new one.

import {
  closeSync,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { type KeyRingPlace, keyRingText, purposeFile } from '../../config.ts';
import { type KeyPurpose, type KeyRing, keyPurposes, parseKeyRing } from '../../core/secrets/key-ring.ts';
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

/** A changed ring, written beside the one that is in force. */
export interface RingDraft {
  /** Puts it in force. @throws Refusal where another one has taken the place of the one that it was made from. */
  put(): void;
  /** Removes it, where it was not put in force. */
  drop(): void;
}

/** Writes what has changed. @throws Refusal where the ring can't be written here. */
export function writeRing(kept: KeptRing, json: string): void {
  const draft = draftRing(kept, json);
  try {
    draft.put();
  } finally {
    draft.drop();
  }
}

/** Writes a ring in two steps, for callers that must not begin their work where the ring can't be written. @throws Refusal */
export function draftRing({ place, json: before }: KeptRing, json: string): RingDraft {
  if (place.kind === 'variable') throw new Refusal(notHere('it is the variable RAMZ_KEYS'), 1);
  const { path } = place;
  const [old, next] = [before, json].map((text) => JSON.parse(text) as Record<string, unknown>);
  const changed = keyPurposes.filter((purpose) => !isDeepStrictEqual(old?.[purpose], next?.[purpose]));
  const files =
    place.kind === 'file'
      ? [{ file: path, text: json }]
      : changed.map((purpose) => ({
          file: purposeFile(path, purpose),
          text: `${JSON.stringify(next?.[purpose], null, 2)}\n`,
        }));
  const drafts: RingDraft[] = [];
  const drop = () => {
    for (const draft of drafts) draft.drop();
  };
  try {
    for (const { file, text } of files) drafts.push(draftFile(file, text));
  } catch (error) {
    drop();
    throw error;
  }
  return {
    put: () => {
      unlessChanged(path, before, place.kind === 'file' ? keyPurposes : changed);
      for (const draft of drafts) draft.put();
    },
    drop,
  };
}

/**
 * Processes are waited for between two writes, for as long as `--wait` says, and the file may be edited meanwhile, or be written by a command for
 * another database. To write over that would take new keys out of the ring: they may be in use by then, and kept nowhere else. @throws Refusal
 */
function unlessChanged(path: string, before: string, written: readonly KeyPurpose[]): void {
  const { value } = keyRingText({ env: { RAMZ_KEY_RING: path }, readFile: (name) => readFileSync(name, 'utf8') });
  if (value && isSameRing(value.json, before, written)) return;
  throw new Refusal(
    `${path} was changed meanwhile, and stays as it is now: run the same again, which goes on from there`,
    1,
  );
}

function isSameRing(one: string, other: string, purposes: readonly KeyPurpose[]): boolean {
  try {
    const [now, then] = [one, other].map((text) => JSON.parse(text) as Record<string, unknown>);
    return purposes.every((purpose) => isDeepStrictEqual(now?.[purpose], then?.[purpose]));
  } catch {
    return false; // Half-way through an edit by hand.
  }
}

function draftFile(path: string, text: string): RingDraft {
  return orRefuse(path, () => {
    const target = realpathSync(path);
    const draft = `${target}.new`;
    const drop = () => rmSync(draft, { force: true });
    const old = statSync(target);
    drop();
    const file = openSync(draft, 'wx', 0o600);
    try {
      writeFileSync(file, text); // Whole or with an error: on a disk that is nearly full a single write takes a part.
      keepOwnerAndMode(file, old);
      fsyncSync(file);
    } catch (error) {
      drop();
      throw error;
    } finally {
      closeSync(file);
    }
    return { put: () => orRefuse(path, () => renameSync(draft, target)), drop };
  });
}

/** The service must be able to read the ring, and nobody else. @throws where it would have another owner, or another group that may read it */
function keepOwnerAndMode(file: number, { mode, uid, gid }: Stats): void {
  const { uid: ownUid, gid: ownGid } = fstatSync(file);
  if (ownUid !== uid || ownGid !== gid) {
    try {
      fchownSync(file, uid, gid);
    } catch (error) {
      // An owner can't give a file to a group that they are not in. It may be any group where a group may do nothing with it.
      if (ownUid !== uid || (mode & 0o070) !== 0) throw error;
    }
  }
  fchmodSync(file, mode & 0o777);
}

/** @throws Refusal */
function orRefuse<Result>(path: string, write: () => Result): Result {
  try {
    return write();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    throw new Refusal(notHere(`${path} can't be written (${code})`), 1);
  }
}

const notHere = (why: string): string =>
  `the key ring can not be changed from here: ${why}. With --print the changed ring goes to stdout: put it where it is kept, and run this again`;
