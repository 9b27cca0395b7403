// DOM clobbering: an element with an id or a name is found under it in `window`, and some in `document`, where nothing else has the name. So no
// script of a page takes a name from there that is not the browser's own, no element gets its id or name from data, and no text becomes markup.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { outsideOf } from './globals.ts';
import { SRC } from './imports.ts';

const root = join(SRC, '..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const scripts = globSync(['web/**/*.{ts,tsx}', 'src/api/signup/browser/*.js'], {
  cwd: root,
  exclude: ['web/vite.config.ts'],
}).map((path) => ({ path, code: read(path) }));
const taken = scripts.map(({ path, code }) => ({ path, ...outsideOf(path, code) }));
const all = (what: 'free' | 'members') => [...new Set(taken.flatMap((script) => script[what]))].toSorted();
const words = (text: string) => text.trim().split(/\s+/);

/** Of the language and of every browser: a property of the window itself is found before any element. */
const free = words(`
  AbortController Array Boolean Date Error EventSource Intl JSON Map Math MutationObserver Notification Number Object Promise Set SharedWorker
  String URL URLSearchParams addEventListener clearInterval clearTimeout fetch history localStorage location navigator requestAnimationFrame setInterval
  setTimeout undefined
`);
const members = words(`
  document.activeElement document.addEventListener document.baseURI document.body document.createElement document.documentElement
  document.getElementById document.head document.hidden document.removeEventListener document.title
  window.addEventListener window.focus window.open
`);
/** Of other scripts, not of the browser: each is looked at by its type, or was set by the script before. */
const ofOthers = ['window.FB', 'window.Scalar', 'window.fbAsyncInit'];

test('scripts of pages take no name from window or document but the browser’s own, and those of scripts they load', () => {
  expect(scripts.length).toBeGreaterThan(60);
  expect(all('free')).toEqual(free);
  expect(all('members')).toEqual([...members, ...ofOthers].toSorted());
  // `window` as what a function is called on, and looks at whether the browser has a feature.
  expect(taken.flatMap(({ path, whole }) => whole.map((how) => `${path}: ${how}`)).toSorted()).toEqual([
    'src/api/signup/browser/signup.js: window in CallExpression',
    'web/phones/attention.ts: window in BinaryExpression',
    'web/phones/door/store.ts: window in BinaryExpression',
  ]);
});

test('no element of a page has its id or name from data, or one that a script looks for', () => {
  const spreads = taken.flatMap(({ path, named }) => named.map((what) => `${path}: ${what}`));
  expect(spreads).toEqual(['web/phones/phones/screen.tsx: a spread']);
  const pages = [...globSync('web/*/index.html', { cwd: root }), 'src/api/signup/page.ts'];
  const made = [...pages.map(read), ...scripts.map(({ code }) => code)].flatMap((text) =>
    [...text.matchAll(/\s(?:id|name)="([^"]*)"/g)].map(([, name = '']) => name),
  );
  expect(made).toEqual(expect.arrayContaining(['root', 'reference', 'start', 'setup']));
  const looked = new Set([...free, ...[...members, ...ofOthers].map((each) => each.replace(/^\w+\./, ''))]);
  expect(made.filter((name) => looked.has(name) || name.includes('$'))).toEqual([]);
});

test('no script makes elements of a text', () => {
  const sinks =
    /\b(?:innerHTML|outerHTML|insertAdjacentHTML|dangerouslySetInnerHTML|createContextualFragment|DOMParser|setHTMLUnsafe|srcdoc|srcDoc|document\.write)\b/;
  expect(scripts.filter(({ code }) => sinks.test(code)).map(({ path }) => path)).toEqual([]);
});

describe('what is wrong is seen', () => {
  const of = (code: string) => outsideOf('a.tsx', code);

  test.each([
    ['a name that nobody declares', 'const a = 1; export const b = () => settings.a + a;', { free: ['settings'] }],
    ['one that another function declares', '(() => { let x = 1; x; }); x;', { free: ['x'] }],
    ['a member of the window', 'window.settings?.url', { members: ['window.settings'] }],
    ['a member by a name from elsewhere', 'const at = 1; document[at]', { members: ['document[…]'] }],
    ['the window, to be taken apart', 'const { settings } = window;', { whole: ['window in VariableDeclarator'] }],
    ['an id from data', 'const a = (b: string) => <p id={b} />;', { named: ['id'] }],
    ['a spread', 'const a = (b: object) => <p {...b} />;', { named: ['a spread'] }],
  ])('%s', (_, code, expected) => {
    expect(of(code)).toMatchObject(expected);
  });

  test.each([
    [
      'types, keys, members and labels',
      'const a: Foo<Bar> = { key: 1 } as Baz; out: for (;;) { a.member; break out; }',
    ],
    [
      'what is declared in any way',
      'import c, { d as e } from "x"; const { f, g: [h], ...i } = c; function j(k = 1) { return [e, f, h, i, j, k]; } class L {} new L(); try {} catch (m) { m; }',
    ],
    [
      'a name of a component, and a literal id',
      'import { C } from "x"; const a = <C name={C} id={1}><p id="a" /></C>;',
    ],
  ])('but not %s', (_, code) => {
    expect(of(code)).toEqual({ free: [], members: [], whole: [], named: [] });
  });
});
