// Commands are pasted into a terminal as they are: also where `npm start` was given other ports, and into a shell whose
// `read` says nothing.
import { expect, test } from 'vitest';
import { pages as snippetPages } from '../../sdks/snippets/pages.ts';
import { read } from './pages.ts';

const pages = snippetPages().filter((page) => page !== 'CONTRIBUTING.md');

test.each(pages)('%s counts on no port of the service', (page) => {
  expect(read(page)).not.toMatch(/(127\.0\.0\.1|localhost):8080/);
});

test.each(pages)('%s asks before it reads', (page) => {
  for (const line of read(page).split('\n')) {
    if (/\bread -r\b/.test(line)) expect(line).toMatch(/printf '.+: '; read -r \w+(; .+)?$/);
  }
});

test('a container for one command leaves the container of Postgres alone', () => {
  // Otherwise Compose recreates Postgres where the named files differ from those of its start: where an overlay is left out, say.
  const runs = [...read('deploy/README.md').matchAll(/(?<!docker )\brun --rm( --no-deps)?/g)];
  expect(runs.length).toBeGreaterThan(1);
  expect(runs.map(([, option]) => option)).toEqual(runs.map(() => ' --no-deps'));
});
