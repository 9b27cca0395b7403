// Writes what is published of the configuration: docs/config.schema.json and docs/configuration.md.
// Run it after every change of a setting: node src/config/publish.ts

import { writeFileSync } from 'node:fs';
import { configSchema, configurationPage } from './document.ts';

const docs = new URL('../../docs/', import.meta.url);
writeFileSync(new URL('config.schema.json', docs), `${JSON.stringify(configSchema(), null, 2)}\n`);
writeFileSync(new URL('configuration.md', docs), configurationPage());
