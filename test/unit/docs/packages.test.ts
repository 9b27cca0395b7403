// The packages say where they come from, and all name one repository: that of the Go module, whose name has to be its address.
import { expect, test } from 'vitest';
import { read } from './pages.ts';

const [, address = ''] = /^module (\S+)\/sdks\/go$/m.exec(read('sdks/go/go.mod')) ?? [];
const repository = `https://${address}`;

test.each([
  'sdks/node/package.json',
  'sdks/python/pyproject.toml',
  'sdks/php/composer.json',
  'sdks/laravel/composer.json',
])('%s names its page and where to report a fault', (path) => {
  const folder = path.slice(0, path.lastIndexOf('/'));
  const urls = read(path).match(/https:\/\/[^"]+/g) ?? [];
  expect(urls).toEqual(expect.arrayContaining([`${repository}/tree/main/${folder}#readme`, `${repository}/issues`]));
  expect(urls.filter((url) => !url.startsWith(repository))).toEqual([]);
});
