// The pages say of the Go SDK what its go.mod says: an older Go refuses to build it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const read = (path: string): string => readFileSync(join(import.meta.dirname, '../../..', path), 'utf8');

test.each([
  ['docs/quickstart.md', /^## Go\n\n(\S+) or newer/m],
  ['sdks/README.md', /^\| Go \|.*\| (\S+) \|$/m],
  ['sdks/go/README.md', /needs Go (\S+) or newer/],
])('the oldest Go in %s is that of go.mod', (page, place) => {
  const [, oldest] = /^go (\S+)$/m.exec(read('sdks/go/go.mod')) ?? [];
  expect(place.exec(read(page))?.[1]).toBe(oldest);
});
