// The picture of README and docs/architecture.md names the rooms and channels that there are, and calls no channel unbuilt that is built.
import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ROOMS } from '../house/rooms.ts';
import { read } from './pages.ts';

const lines = [...read('docs/architecture.svg').matchAll(/<text[^>]*>([^<]*)</g)].map(([, text]) => text ?? '');
const isBuilt = (channel: string) =>
  existsSync(new URL(`../../../src/channels/${channel}/${channel}.ts`, import.meta.url));

test.each(['sms', 'whatsapp', 'voice'])('%s', (channel) => {
  const own = lines.filter((line) => line.split(/\W+/).includes(channel));
  expect(own.length).toBeGreaterThan(0);
  expect(own.some((line) => line.includes('not built'))).toBe(!isBuilt(channel));
});

test('every room is in the picture', () => {
  const words = lines.flatMap((line) => line.split(/\W+/));
  expect(ROOMS.filter((room) => !words.includes(room))).toEqual([]);
});
