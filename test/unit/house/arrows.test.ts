// Holds the arrows of arrows.ts, and what packages a folder is confined to.
import { expect, test } from 'vitest';
import { ARROWS } from './arrows.ts';
import { allImports, type Import, importsOf, sourceFiles } from './imports.ts';

/** The packages a folder is confined to, and the folders a package is confined to. */
const CONFINED: Readonly<Record<string, RegExp>> = {
  core: /^(node:crypto|libphonenumber-js|ipaddr\.js)$/,
  smpp: /^node:/,
  sip: /^node:/,
};
const RESERVED: Readonly<Record<string, readonly string[]>> = {
  smpp: ['sandbox'],
  sip: ['sandbox'],
  pg: ['db'],
  kysely: ['db'],
};

/** The composition root: app/app.ts and the parts of it, main.ts, serve.ts. */
const ROOT = ['', 'app'];

const folderOf = (path: string) => (path.includes('/') ? path.slice(0, path.indexOf('/')) : '');

/** Says what is wrong with an import, or undefined. */
function complaint({ file, target, ours }: Import): string | undefined {
  const folder = folderOf(file);
  if (ROOT.includes(folder)) return undefined;
  if (!ours) {
    const forbidden = CONFINED[folder]?.test(target) === false || RESERVED[target]?.includes(folder) === false;
    return forbidden ? `${file} must not import the package ${target}` : undefined;
  }
  const allowed = [folder, ...(ARROWS[folder] ?? [])];
  if (allowed.includes(folderOf(target)) || allowed.includes(target)) return undefined;
  return `${file} must not import ${target}`;
}

test('every import follows an arrow', () => {
  expect(allImports().map(complaint).filter(Boolean)).toEqual([]);
});

test('no file imports itself by way of others', () => {
  const targets = Map.groupBy(
    allImports().filter(({ ours }) => ours),
    ({ file }) => file,
  );
  const done = new Set<string>();
  const circleFrom = (file: string, path: readonly string[]): string[] | null => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file];
    if (done.has(file)) return null;
    for (const { target } of targets.get(file) ?? []) {
      const circle = circleFrom(target, [...path, file]);
      if (circle) return circle;
    }
    done.add(file);
    return null;
  };
  expect([...targets.keys()].map((file) => circleFrom(file, [])).find(Boolean)).toBeUndefined();
});

// Every process of a deployment would hold it in memory, and start later by it.
test.each(['serve.ts', 'cli/migrate.ts', 'cli/account.ts'])('%s loads nothing of the sandbox', (entry) => {
  const targets = Map.groupBy(allImports(), ({ file }) => file);
  const loaded = new Set([entry]);
  for (const file of loaded) for (const { target } of targets.get(file) ?? []) loaded.add(target);
  expect([...loaded].filter((target) => folderOf(target) === 'sandbox' || ['smpp', 'sip'].includes(target))).toEqual(
    [],
  );
});

test('every folder has its arrows', () => {
  const folders = new Set(
    sourceFiles()
      .map(folderOf)
      .filter((folder) => !ROOT.includes(folder)),
  );
  expect([...folders].filter((folder) => ARROWS[folder] === undefined)).toEqual([]);
});

test.each([
  ['core/verify/cascade.ts', `import { readFile } from 'node:fs/promises';`],
  ['core/verify/cascade.ts', `import type { Row } from '../../db/schema.ts';`],
  ['smpp/bind.ts', `import {\n  a,\n  b,\n} from '../core/session.ts';`],
  ['engine/delivery/dispatcher.ts', `import { sms } from '../../channels/sms.ts';`],
  ['engine/delivery/dispatcher.ts', `export * from '../../api/auth.ts';`],
  ['db/client.ts', `const later = await import('../engine/lane.ts');`],
  ['api/handlers/send.ts', `import pg from 'pg';`],
  ['engine/fleet/maintenance.ts', `import type { Kysely } from 'kysely';`],
  ['sandbox/smsc.ts', `import { encode } from '../smpp/codec.ts';`],
  ['api/rest/server.ts', `import 'smpp';`],
  ['channels/voice/voice.ts', `const sip = await import('sip');`],
])('a wrong import is seen: %s %s', (file, text) => {
  expect(importsOf(file, text).map(complaint).filter(Boolean)).toHaveLength(1);
});

test.each([
  ['core/verify/cascade.ts', `import { createHmac } from 'node:crypto';\nimport { a } from './session.ts';`],
  ['engine/delivery/dispatcher.ts', `import type { Channel } from '../../channels/channel.ts';`],
  ['sandbox/smsc.ts', `import smpp from 'smpp';`],
  ['sandbox/phones/stack.ts', `import type { Message } from 'sip';`],
  ['core/a.ts', `// import { x } from '../db/client.ts';\n/* import '../api/auth.ts'; */`],
  ['app/app.ts', `import { x } from './sandbox/main.ts';`],
])('a right one is let through: %s %s', (file, text) => {
  expect(importsOf(file, text).map(complaint).filter(Boolean)).toEqual([]);
});
