// A page that names a file or a heading must name one that is there.
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { pages, ROOT, read } from './pages.ts';

const withoutCode = (page: string) => page.replace(/^ *```[\s\S]*?^ *```$/gm, '');

/** As code hosts make them: lower case, punctuation dropped, a hyphen for each space. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');

const anchors = (page: string) => [...page.matchAll(/^#+ (.+)$/gm)].map((match) => anchorOf(match[1] ?? ''));

/** Relative links of a page that lead nowhere. */
function brokenLinks(path: string, text: string): string[] {
  // Pictures for a light and a dark page are HTML.
  const links = [...withoutCode(text).matchAll(/\]\(([^)\s]+)\)|\bsrc(?:set)?="([^"\s]+)"/g)].map(
    ([, link, source]) => link ?? source ?? '',
  );
  return links.filter((link) => {
    if (/^https?:/.test(link)) return false;
    const [file = '', anchor] = link.split('#');
    const target = file === '' ? path : join(dirname(path), file);
    if (!existsSync(join(ROOT, target))) return true;
    return anchor !== undefined && !anchors(read(target)).includes(anchor);
  });
}

/** Paths in backticks, such as `src/core/ids.ts`, that are neither below the root nor beside the page; what has a placeholder in it is passed over. */
function missingFiles(page: string, text: string, exceptions: readonly string[] = []): string[] {
  const paths = [...text.matchAll(/`((?:src|proto|test|scripts|docs|deploy|sdks)\/[\w./-]*)`/g)];
  const named = paths.map((match) => match[1] ?? '').filter((path) => !/NNNN|X\.Y\.Z/.test(path));
  const exists = (path: string) => ['', dirname(page)].some((folder) => existsSync(join(ROOT, folder, path)));
  return named.filter((path) => !exists(path) && !exceptions.includes(path));
}

/** Named as what is to come, or what people make themselves. */
const notYet = ['src/sip', 'src/console', 'deploy/config', 'deploy/config/config.json', 'deploy/secrets/service'];

test.each(pages())('links of %s lead somewhere', (path) => {
  expect(brokenLinks(path, read(path))).toEqual([]);
});

test.each(pages())('files named in %s exist', (path) => {
  expect(missingFiles(path, read(path), notYet)).toEqual([]);
});

test('what leads nowhere is seen', () => {
  expect(brokenLinks('README.md', '[a](docs/nothing.md) [b](#nothing) [c](LICENSE) <img src="no.png">')).toEqual([
    'docs/nothing.md',
    '#nothing',
    'no.png',
  ]);
  expect(missingFiles('README.md', '`src/core/ids.ts` and `src/core/no.ts`')).toEqual(['src/core/no.ts']);
});
