// Who owns a ring once it was written: the user that the service runs as, who is root nowhere but here. Root without the right to give files away
// stands in for them, so that the files of this checkout can be read all the same.
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, chownSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import { root } from '../../../scripts/run.ts';
import { newKeyRing, parseKeyRing } from '../../../src/core/secrets/key-ring.ts';
import { testDatabase } from '../../support/database.ts';
import { testFolder } from '../../support/folder.ts';

const { db, url } = await testDatabase();
const folder = testFolder('keys-owner');
const path = join(folder, 'ring.json');
beforeEach(async () => {
  await sql`delete from announced_key`.execute(db); // Of the ring before.
  rmSync(path, { force: true });
  writeFileSync(path, newKeyRing(randomBytes), { mode: 0o600 });
});

const group = 1000;
const limited = ['--bounding-set=-chown', `--regid=${group}`, '--clear-groups'];
const rotate = [process.execPath, join('src', 'main.ts'), 'keys', 'rotate', 'code'];
function rotated() {
  const env = { ...process.env, DATABASE_URL: url, RAMZ_KEY_RING: path };
  const { status, stdout, stderr } = spawnSync('setpriv', [...limited, ...rotate], {
    cwd: root,
    env,
    encoding: 'utf8',
  });
  return { status, output: stdout + stderr };
}
const codes = () => {
  const parsed = parseKeyRing(readFileSync(path, 'utf8'));
  return parsed.kind === 'invalid' ? parsed.errors : parsed.ring.all('code').length;
};

describe.runIf(process.getuid?.() === 0 && process.platform === 'linux')(
  'a ring of a group that its owner is not in',
  () => {
    test('is written where the group may do nothing with it, as `chown -R 1000` leaves it', () => {
      expect(rotated()).toMatchObject({ status: 0 });
      expect(codes()).toBe(2);
      expect(statSync(path)).toMatchObject({ uid: 0, gid: group });
      expect(statSync(path).mode & 0o777).toBe(0o600);
    });

    test('stays as it is where the group may read it, and where the owner is another one', () => {
      const refused = { status: 1, output: expect.stringContaining("can't be written (EPERM)") };
      chmodSync(path, 0o640);
      expect(rotated()).toEqual(refused);
      chmodSync(path, 0o600);
      chownSync(path, group, group);
      expect(rotated()).toEqual(refused);
      expect(codes()).toBe(1);
      expect(readdirSync(folder)).toEqual(['ring.json']);
    });
  },
);
