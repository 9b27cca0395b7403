// The files of `npm start` in its data directory.

import { randomBytes } from 'node:crypto';
import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  fchmodSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { Refused } from '../core/refused.ts';
import { completeKeyRing } from '../core/secrets/key-ring.ts';
import { othersData } from '../db/embedded/identity.ts';

/** The sandbox's account with its keys, kept so that a second `npm start` finds the account of the first. */
export interface SandboxState {
  adminToken: string;
  accountId?: string;
  apiKey?: string;
  testKey?: string;
  /** Ids of the sink's two endpoints, live and test. A state of an earlier release has none. */
  webhookIds?: string[];
  /** Secrets of the sink's two endpoints, live and test. */
  webhookSecrets?: string[];
}

/**
 * What `npm start` keeps in the data directory: the key ring, the sandbox's account, and sandbox.json and sandbox.env for programs and shells that
 * talk to what is running. Files with secrets are readable by their owner only.
 */
export class Files {
  readonly directory: string;

  constructor(directory: string) {
    this.directory = resolve(directory);
    make(this.directory);
    // Of an earlier start it may be open to all. One of another owner is left as that has it, and so is one like /tmp, which all share.
    const { uid, mode } = statSync(this.directory);
    usable(this.directory, () => {
      if (uid === process.getuid?.() && (mode & sticky) === 0) chmodSync(this.directory, 0o700);
      accessSync(this.directory, constants.W_OK | constants.X_OK);
    });
  }

  /** @throws Refused where its file `name` can't be used. */
  use<Result>(name: string, use: (path: string) => Result): Result {
    const path = this.path(name);
    return usable(path, () => use(path));
  }

  path(name: string): string {
    return join(this.directory, name);
  }

  /**
   * Made at the first start; a key for a purpose that is new is added. Losing it means that codes under way, keys and webhook secrets are
   * lost with it.
   */
  keyRing(): string {
    const path = this.path('keys.json');
    const before = this.readText('keys.json') ?? '{}';
    const complete = completed(path, before);
    // Whole or not at all: a disk that is full now would leave neither the old ring nor the new one.
    if (complete !== before) this.writeText('keys.json', complete);
    return path;
  }

  state(): SandboxState {
    const kept = this.readText('sandbox-state.json');
    if (kept !== null) return JSON.parse(kept);
    const state: SandboxState = { adminToken: randomBytes(24).toString('base64url') };
    this.saveState(state);
    return state;
  }

  saveState(state: SandboxState): void {
    this.writeJson('sandbox-state.json', state);
  }

  /** Whole or not at all: another process may be reading it. */
  writeJson(name: string, value: unknown): string {
    return this.writeText(name, `${JSON.stringify(value, null, 2)}\n`);
  }

  writeText(name: string, text: string): string {
    return this.use(name, (path) => {
      writeSecret(`${path}.new`, text);
      renameSync(`${path}.new`, path);
      return path;
    });
  }

  /** Descriptor of the log of what is started. */
  openLog(): number {
    const path = this.path('server.log');
    return usable(path, () => {
      const log = openSync(path, 'a', 0o600);
      fchmodSync(log, 0o600); // Of an earlier start it may be readable by all.
      return log;
    });
  }

  remove(...names: readonly string[]): void {
    for (const name of names) rmSync(this.path(name), { force: true });
  }

  private readText(name: string): string | null {
    const path = this.path(name);
    return existsSync(path) ? usable(path, () => readFileSync(path, 'utf8')) : null;
  }
}

/** @throws Refused with the file that is no ring. */
function completed(path: string, json: string): string {
  try {
    return completeKeyRing(json, (size) => randomBytes(size));
  } catch (error) {
    if (error instanceof Refused) throw new Refused(`${path}: ${error.message}`);
    throw error;
  }
}

/** @throws Refused with the setting to change. */
function make(directory: string): void {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
  } catch (error) {
    const { code } = error as { code?: string };
    throw new Refused(`RAMZ_DATA: ${directory} can't be made a folder (${code}): set it to one that can be written`);
  }
}

/** After a `sudo npm start` the folder or files in it may be root's. @throws Refused with whose `path` is and the setting to change. */
function usable<Result>(path: string, use: () => Result): Result {
  try {
    return use();
  } catch (error) {
    const { code } = error as { code?: string };
    const isForbidden = code === 'EACCES' || code === 'EPERM';
    const isOthers = isForbidden && statSync(path, { throwIfNoEntry: false })?.uid !== process.getuid?.();
    if (isOthers) throw new Refused(othersData(path));
    const isFull = code === 'ENOSPC' || code === 'EDQUOT';
    const advice = isFull
      ? 'no space is left there: make room, or set it to a folder that has some'
      : 'set it to a folder that can be written';
    throw new Refused(`RAMZ_DATA: ${path} can't be used (${code}): ${advice}`);
  }
}

/** Only its owner may remove a file in such a folder. */
const sticky = 0o1000;

const writeSecret = (path: string, text: string) => writeFileSync(path, text, { mode: 0o600 });
