// Brings the parts of docs/*.md that are made from the code up to date: node scripts/docs.ts
// A test (test/unit/docs) holds them so.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fill } from './docs/fill.ts';
import { parts } from './docs/parts.ts';

const docs = new URL('../docs/', import.meta.url);
for (const name of readdirSync(docs).filter((each) => each.endsWith('.md'))) {
  const path = new URL(name, docs);
  const text = readFileSync(path, 'utf8');
  const filled = fill(text, parts);
  if (filled !== text) writeFileSync(path, filled);
}
