// From V8's samples to stacks, sums and a drawing.
import { expect, test } from 'vitest';
import { flameGraph } from '../../../bench/profile/flame.ts';
import { byModule, type CpuProfile, folded, grouped, moduleOf, stacksOf } from '../../../bench/profile/profile.ts';

const frame = (functionName: string, url = '') => ({ functionName, url, lineNumber: 0 });
const profile: CpuProfile = {
  startTime: 0,
  nodes: [
    { id: 1, callFrame: frame('(root)'), children: [2, 3] },
    { id: 2, callFrame: frame('(idle)') },
    { id: 3, callFrame: frame('listOnTimeout', 'node:internal/timers'), children: [4] },
    { id: 4, callFrame: frame('save', 'file:///home/x/src/db/verify/save.ts'), children: [5] },
    { id: 5, callFrame: frame('query', 'file:///home/x/node_modules/pg/lib/client.js'), children: [6] },
    { id: 6, callFrame: frame('submit', 'file:///home/x/node_modules/pg/lib/query.js'), children: [7] },
    { id: 7, callFrame: frame('writev') },
  ],
  samples: [7, 2, 7, 4, 7],
  timeDeltas: [100, 100, 100, 100, 100],
};

test('time outside the window and idle time do not count', () => {
  const stacks = stacksOf(profile, 150, 450);
  expect(stacks.map(({ us }) => us).toSorted()).toEqual([100, 100]);
});

test('packages are one block, and nothing stands below the first that is not Node’s', () => {
  const [stack] = stacksOf(profile, 250, 350).map(folded);
  expect(stack?.frames.map(({ name }) => name)).toEqual(['save', 'pg', 'writev']);
  expect(grouped(stack!, () => 'src/db').frames[0]).toEqual({ module: 'src/db', name: 'src/db' });
});

test('native time is its caller’s', () => {
  const stacks = stacksOf(profile, 0, 1_000).map(folded);
  expect(byModule(stacks, (module) => module)).toEqual([
    ['pg', 300],
    ['src/db/verify/save.ts', 100],
  ]);
});

test('modules', () => {
  expect(moduleOf('file:///a/node_modules/@bufbuild/protobuf/dist/x.js')).toBe('@bufbuild/protobuf');
  expect(moduleOf('file:///a/node_modules/b/node_modules/c/src/x.js')).toBe('c');
  expect(moduleOf('node:internal/streams/writable')).toBe('node');
  expect(moduleOf('')).toBe('(native)');
});

test('the drawing holds its blocks, their shares, and no markup of theirs', () => {
  const stacks = [
    { frames: [{ module: 'src/a.ts', name: '<b>&' }], us: 75 },
    { frames: [{ module: 'pg', name: 'pg' }], us: 25 },
  ];
  const svg = flameGraph(stacks, { title: 'a & b', total: 1_000, unit: 'µs' });
  expect(svg).toContain('<title>&lt;b&gt;&amp; src/a.ts: 750.0 µs, 75.0 %</title>');
  expect(svg).toContain('<title>pg: 250.0 µs, 25.0 %</title>');
  expect(svg).toContain('a &amp; b');
  expect(svg.match(/<rect/g)).toHaveLength(4); // background, all, two blocks
});
