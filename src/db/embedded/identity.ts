// The user that the embedded server runs as. Postgres refuses to run as root, so root drops to a system user that is the database's alone: a
// process of another service under `nobody` could read every number in its files, and rewrite who may connect.

import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';

/** The unprivileged identity of the server process; empty when this process is not root. */
export type Identity = { uid?: number; gid?: number };

export const databaseUser = 'ramz-postgres';

/**
 * As root the database's own user, which is made where there is none. Where it can't be made that is said, and `nobody` stands in for it.
 * @throws when root has no user to drop to.
 */
export function serverIdentity(log: (line: string) => void): Identity {
  if (process.getuid?.() !== 0) return {};
  const own = idOf(databaseUser) ?? made(log);
  if (own) return own;
  const shared = idOf('nobody');
  if (shared) return shared;
  throw new Error(`Postgres refuses to run as root, and no user could be made for it: set DATABASE_URL instead`);
}

function idOf(user: string): Identity | undefined {
  try {
    const [uid, gid] = ['-u', '-g'].map((flag) => Number(execFileSync('id', [flag, user], { stdio: 'pipe' })));
    return { uid: Number(uid), gid: Number(gid) };
  } catch {
    return undefined;
  }
}

/** As a shell and sudo take it, also where the number has no name here. */
export function nameOf(uid: number): string {
  try {
    return execFileSync('id', ['-un', String(uid)], { encoding: 'utf8', stdio: 'pipe' }).trim();
  } catch {
    return `'#${uid}'`;
  }
}

/** What to do about `path` in a data directory of another user, who has all rights to it: `sudo npm start`, once, makes it root's. */
export function othersData(path: string): string {
  const owner = ownerOf(path);
  const whose = owner === null ? "is another user's" : `belongs to ${owner}`;
  const who = owner ?? 'that user';
  return `RAMZ_DATA: ${path} ${whose}, and this user may not use it: run this as ${who}, or set RAMZ_DATA to a folder of this user's own`;
}

/** null where a folder above it is closed to this user. */
function ownerOf(path: string): string | null {
  try {
    return nameOf(statSync(path).uid);
  } catch {
    return null;
  }
}

/** A process that starts beside this one may hold the lock of the list of users: it makes the same user. */
const tries = 3;

function made(log: (line: string) => void): Identity | undefined {
  const args = ['--system', '--user-group', '--no-create-home', '--home-dir', '/nonexistent'];
  const env = { PATH: `/usr/sbin:/sbin:${process.env.PATH}` };
  let why = '';
  for (let count = 0; count < tries; count += 1) {
    try {
      execFileSync('useradd', [...args, '--shell', '/usr/sbin/nologin', databaseUser], { env, stdio: 'pipe' });
      log(
        `made the system user ${databaseUser}: the embedded database runs as it, since Postgres refuses to run as root`,
      );
    } catch (error) {
      const { stderr, message } = error as { stderr?: Buffer; message: string };
      why = stderr?.toString().trim() || message;
    }
    const own = idOf(databaseUser);
    if (own) return own;
  }
  log(
    `the system user ${databaseUser} could not be made (${why}): the embedded database runs as nobody, and whatever else runs as nobody here can read its files. ` +
      `Make that user, start as an ordinary user, or set DATABASE_URL`,
  );
  return undefined;
}
