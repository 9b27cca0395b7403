// Clusters outside of their data directories: root keeps them under `systemHome` (place.ts), so they stay when a checkout is deleted. Each
// knows the data directories that it was started from, by which those that have lost theirs are found.

import { existsSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isServerOf, readPostmaster } from './cluster.ts';
import { ownersOf, systemHome } from './place.ts';

export interface Leftover {
  /** The folder with the cluster. */
  place: string;
  /** The data directory that led there last, and does no longer. */
  dataDir: string;
  /** Its server runs: then it is in use, or its user was killed. */
  running: boolean;
}

/** None for anyone but root. */
export function leftovers(): Leftover[] {
  if (process.getuid?.() !== 0 || !existsSync(systemHome)) return [];
  return readdirSync(systemHome).flatMap((name) => {
    const place = join(systemHome, name);
    const owners = ownersOf(place);
    const dataDir = owners.at(-1);
    if (dataDir === undefined || owners.some((owner) => leadsTo(owner, place))) return [];
    return [{ place, dataDir, running: isRunning(join(place, 'cluster')) }];
  });
}

function leadsTo(dataDir: string, place: string): boolean {
  try {
    return realpathSync(dataDir) === realpathSync(place);
  } catch {
    return false;
  }
}

/** Whether a server of these files lives. */
export function isRunning(files: string): boolean {
  const real = realOf(files);
  if (real === undefined) return false;
  const server = readPostmaster(real);
  return server !== undefined && isServerOf(real, server.pid);
}

/** Undefined where there is none, or none any more: another process may be removing it. */
function realOf(files: string): string | undefined {
  try {
    return realpathSync(files);
  } catch {
    return undefined;
  }
}

/** Removes a cluster whose server does not run, and what is left of its data directory. */
export function removeCluster(dataDir: string): void {
  const place = realOf(dataDir) ?? dataDir;
  for (const path of [dataDir, place]) rmSync(path, { recursive: true, force: true });
}
