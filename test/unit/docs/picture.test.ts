// The picture of README and docs/architecture.md names the channels there are, and calls none of them unbuilt.
import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { read } from './pages.ts';

const lines = [...read('docs/architecture.svg').matchAll(/<text[^>]*>([^<]*)</g)].map(([, text]) => text ?? '');
const isBuilt = (channel: string) =>
  existsSync(new URL(`../../../src/channels/${channel}/${channel}.ts`, import.meta.url));

test.each(['sms', 'whatsapp', 'voice'])('%s', (channel) => {
  const own = lines.filter((line) => line.split(/\W+/).includes(channel));
  expect(own.length).toBeGreaterThan(0);
  expect(own.some((line) => line.includes('not built'))).toBe(!isBuilt(channel));
});
