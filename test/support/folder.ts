// A folder of a test file's own, gone with the file whatever failed in it. Belongs at the top of a test file.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

/** Where the hook below does not get to run: another file-wide hook failed first, or the run was interrupted. */
const left = new Set<string>();
process.once('exit', () => {
  for (const folder of left) remove(folder);
});

const remove = (folder: string) => rmSync(folder, { recursive: true, force: true });

/** `/tmp/ramz-<name>-…` */
export function testFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `ramz-${name}-`));
  left.add(folder);
  afterAll(() => {
    remove(folder);
    left.delete(folder);
  });
  return folder;
}
