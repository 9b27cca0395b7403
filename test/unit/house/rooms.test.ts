// Holds the rooms of rooms.ts: their words, the arrows inside the engine, its face, and how few functions wire it.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { allImports, SRC, sourceFiles } from './imports.ts';
import { ENGINE_ARROWS, FACES, MACHINERY, MOST_WIRED_FUNCTIONS, ROOMS } from './rooms.ts';

const read = (path: string): string => readFileSync(join(SRC, path), 'utf8');
const engineFiles = sourceFiles().filter((path) => path.startsWith('engine/'));

test.each(['core', 'engine', 'db', 'api/handlers'])('every folder of %s is a room', (floor) => {
  const inside = sourceFiles().filter((path) => path.startsWith(`${floor}/`));
  const folders = inside.map((path) => path.slice(floor.length + 1).split('/')).filter((parts) => parts.length > 1);
  const known = [...ROOMS, ...(MACHINERY[floor] ?? [])];
  expect(folders.map(([name = '']) => name).filter((name) => !known.includes(name))).toEqual([]);
});

/** The room of a file of the engine; undefined for its face. */
const roomOf = (path: string): string | undefined => /^engine\/([^/]+)\//.exec(path)?.[1];

test('rooms of the engine import along their arrows', () => {
  const wrong = allImports().flatMap(({ file, target }) => {
    const [from, to] = [roomOf(file), roomOf(target)];
    if (from === undefined) return [];
    const isUp = target.startsWith('engine/') && to === undefined && target !== 'engine/context.ts';
    const isAstray = to !== undefined && to !== from && ENGINE_ARROWS[from]?.includes(to) !== true;
    return isUp || isAstray ? [`${file} must not import ${target}`] : [];
  });
  expect(wrong).toEqual([]);
});

test('the arrows of the engine lead down', () => {
  const above = (room: string, path: readonly string[] = []): string[] =>
    path.includes(room)
      ? [[...path, room].join(' → ')]
      : (ENGINE_ARROWS[room] ?? []).flatMap((next) => above(next, [...path, room]));
  expect(Object.keys(ENGINE_ARROWS).flatMap((room) => above(room))).toEqual([]);
  expect(Object.keys(ENGINE_ARROWS).filter((room) => !existsSync(join(SRC, 'engine', room)))).toEqual([]);
});

test('the context knows the rooms by their types alone', () => {
  const [, ...imports] = read('engine/context.ts').split(/^import /m);
  expect(imports.filter((text) => text.includes("from './") && !text.startsWith('type '))).toEqual([]);
});

test('the API knows of the engine its faces', () => {
  const ofEngine = allImports().filter(({ file, target }) => file.startsWith('api/') && target.startsWith('engine/'));
  const past = ofEngine.filter(({ target }) => !FACES.includes(target));
  expect(past.map(({ file, target }) => `${file}: ${target}`)).toEqual([]);
  expect(FACES.filter((face) => !ofEngine.some(({ target }) => target === face))).toEqual([]);
});

test('the face has at most eight verbs', () => {
  const [, face = ''] = /^export interface Engine \{\n([\s\S]*?)^\}/m.exec(read('engine/engine.ts')) ?? [];
  const verbs = face.match(/^ {2}\w+\(/gm) ?? [];
  expect(verbs.length).toBeGreaterThan(0);
  expect(verbs.length).toBeLessThanOrEqual(8);
});

/** Functions in the bodies of the interfaces by which parts are wired, those of nested objects among them. */
function wiredFunctions(text: string): string[] {
  const bodies = text.matchAll(
    /interface (\w+(?:Options|Parts|Deps|Handling|Context|Wiring))\b[^{]*\{\n([\s\S]*?)^\}/gm,
  );
  return [...bodies].flatMap(([, name, body = '']) => {
    const code = body.replace(/\/\*[\s\S]*?\*\//g, '').replace(/\/\/.*$/gm, '');
    const methods = [...code.matchAll(/(?:^|[{;])\s*(?:readonly )?(\w+)\??\(/gm)].map(([, method]) => method);
    return [...methods, ...(code.match(/=>/g) ?? [])].map((found) => `${name}: ${found}`);
  });
}

test('functions in wiring are seen in every form', () => {
  const wiring = `interface AOptions {
  now(): number;
  observe?: { lane?(name: string): void };
  /** Like f(x) => y. */
  run: (n: number) => void;
  store: Store;
}
interface Store {
  load(): void;
}
`;
  expect(wiredFunctions(wiring)).toEqual(['AOptions: now', 'AOptions: lane', 'AOptions: =>']);
});

test(`at most ${MOST_WIRED_FUNCTIONS} functions wire the engine`, () => {
  const found = engineFiles.flatMap((path) => wiredFunctions(read(path)).map((each) => `${path} ${each}`));
  expect(found.length, found.join('\n')).toBeLessThanOrEqual(MOST_WIRED_FUNCTIONS);
});
