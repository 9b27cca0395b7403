// Clusters outside of their data directories: root keeps them under `systemHome` (place.ts), so they stay when a checkout is deleted. Each
// knows the data directory that it was made for, by which those that have lost theirs are found.

import { existsSync, readdirSync, readFileSync, readlinkSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isServerOf, readPostmaster } from './cluster.ts';
import { linkFile, systemHome } from './place.ts';

export interface Leftover {
  /** The folder with the cluster. */
  place: string;
  /** The data directory that leads there no longer. */
  dataDir: string;
  /** Its server runs: then it is in use, or its user was killed. */
  running: boolean;
}

/** None for anyone but root. */
export function leftovers(): Leftover[] {
  if (process.getuid?.() !== 0 || !existsSync(systemHome)) return [];
  return readdirSync(systemHome).flatMap((name) => {
    const place = join(systemHome, name);
    const path = join(place, linkFile);
    if (!existsSync(path)) return [];
    const dataDir = readFileSync(path, 'utf8').trim();
    return leadsTo(dataDir) === place ? [] : [{ place, dataDir, running: isRunning(join(place, 'cluster')) }];
  });
}

function leadsTo(dataDir: string): string | undefined {
  try {
    return readlinkSync(dataDir);
  } catch {
    return undefined;
  }
}

/** Whether a server of these files lives. */
export function isRunning(files: string): boolean {
  if (!existsSync(files)) return false;
  const real = realpathSync(files);
  const server = readPostmaster(real);
  return server !== undefined && isServerOf(real, server.pid);
}

/** Removes a cluster whose server does not run, and what is left of its data directory. */
export function removeCluster(dataDir: string): void {
  const place = existsSync(dataDir) ? realpathSync(dataDir) : dataDir;
  for (const path of [dataDir, place]) rmSync(path, { recursive: true, force: true });
}
