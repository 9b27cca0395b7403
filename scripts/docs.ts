// Writes what docs/ takes from the code: the schema and the page of the configuration, and the generated parts of the other
// pages. `npm run generate` runs it last; `node scripts/docs.ts` alone is enough when only a setting or a table changed.

import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { configSchema, configurationPage } from '../src/config/document.ts';
import { fill } from './docs/fill.ts';
import { parts } from './docs/parts.ts';

const docs = new URL('../docs/', import.meta.url);

writeFileSync(new URL('config.schema.json', docs), `${JSON.stringify(configSchema(), null, 2)}\n`);
writeFileSync(new URL('configuration.md', docs), configurationPage());

for (const name of globSync('**/*.md', { cwd: docs })) {
  const path = new URL(name, docs);
  const text = readFileSync(path, 'utf8');
  const filled = fill(text, parts);
  if (filled !== text) writeFileSync(path, filled);
}
