// What `npm start` keeps in the data directory: the key ring, the sandbox's account, and sandbox.json for everybody who
// wants to talk to what is running. Files with secrets are readable by their owner only.

import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { completeKeyRing } from '../core/secrets/key-ring.ts';

/** What the sandbox's account can do, kept so that a second `npm start` finds its first one's account. */
export interface SandboxState {
  adminToken: string;
  accountId?: string;
  apiKey?: string;
  testKey?: string;
  /** Secrets of the sink's two endpoints, live and test. */
  webhookSecrets?: string[];
  sandboxPort?: number;
}

export class Files {
  readonly directory: string;

  constructor(directory: string) {
    this.directory = resolve(directory);
    mkdirSync(this.directory, { recursive: true });
  }

  path(name: string): string {
    return join(this.directory, name);
  }

  /** Made at the first start; a key for a purpose that is new is added. Losing it means that codes under way, keys and webhook secrets are lost with it. */
  keyRing(): string {
    const path = this.path('keys.json');
    const before = existsSync(path) ? readFileSync(path, 'utf8') : '{}';
    const complete = completeKeyRing(before, (size) => randomBytes(size));
    if (complete !== before) writeSecret(path, complete);
    return path;
  }

  state(): SandboxState {
    const path = this.path('sandbox-state.json');
    if (existsSync(path)) return JSON.parse(readFileSync(path, 'utf8'));
    const state: SandboxState = { adminToken: randomBytes(24).toString('base64url') };
    this.saveState(state);
    return state;
  }

  saveState(state: SandboxState): void {
    this.writeJson('sandbox-state.json', state);
  }

  /** Whole or not at all: another process may be reading it. */
  writeJson(name: string, value: unknown): string {
    const path = this.path(name);
    writeSecret(`${path}.new`, `${JSON.stringify(value, null, 2)}\n`);
    renameSync(`${path}.new`, path);
    return path;
  }

  remove(name: string): void {
    rmSync(this.path(name), { force: true });
  }
}

const writeSecret = (path: string, text: string) => writeFileSync(path, text, { mode: 0o600 });
