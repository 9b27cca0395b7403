// The key ring of `npm start`: nothing that breaks off leaves half of it, and one that can't be read is named.
import { existsSync, linkSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Refused } from '../../../src/core/refused.ts';
import { parseKeyRing } from '../../../src/core/secrets/key-ring.ts';
import { Files } from '../../../src/launch/files.ts';
import { takeOnlyStart } from '../../../src/launch/only-start.ts';
import { testFolder } from '../../support/folder.ts';

const folder = testFolder('launch-files');
const files = new Files(folder);
const path = join(folder, 'keys.json');

test('a ring that lacks a purpose is replaced as a whole: on a full disk the old one stays', () => {
  expect(files.keyRing()).toBe(path);
  const { lists: _, ...older } = JSON.parse(readFileSync(path, 'utf8')) as Record<string, object>;
  writeFileSync(path, JSON.stringify(older));
  // What is written over a file is written over all its names; what takes its place is not.
  linkSync(path, join(folder, 'before.json'));
  files.keyRing();
  expect(readFileSync(join(folder, 'before.json'), 'utf8')).toBe(JSON.stringify(older));
  expect(parseKeyRing(readFileSync(path, 'utf8'))).toMatchObject({ kind: 'ok' });
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test.each([
  ['{"code": {"current": "s3cr3t" oops', 'key ring: not JSON'],
  ['[]', 'key ring: not an object'],
  ['{"code": {}, "code": {}}', 'key ring: code is given twice'],
])('a ring that is none is named, and neither changed nor quoted: %j', (text, reason) => {
  writeFileSync(path, text);
  expect(() => files.keyRing()).toThrow(new Refused(`${path}: ${reason}`));
  expect(readFileSync(path, 'utf8')).toBe(text);
});

test.runIf(process.platform === 'linux')('a full disk is named, and leaves no half of a file', () => {
  const full = testFolder('launch-full');
  const there = new Files(full);
  for (const [name, draft, use] of [
    ['start.pid', `start.pid.${process.pid}`, () => there.use('start.pid', takeOnlyStart)],
    ['sandbox-state.json', 'sandbox-state.json.new', () => there.saveState({ adminToken: 'x' })],
  ] as const) {
    symlinkSync('/dev/full', join(full, draft));
    const refused = `RAMZ_DATA: ${join(full, name)} can't be used (ENOSPC): no space is left there: make room, or set it to a folder that has some`;
    expect(use).toThrow(new Refused(refused));
    expect(existsSync(join(full, name))).toBe(false);
    rmSync(join(full, draft), { force: true });
  }
});
