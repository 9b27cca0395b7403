// For Deno and Bun: the portable part, then the whole story.

import { Ramz } from '@ramz/sdk';
import { story } from './live.mjs';
import { inMemory, online } from './portable.mjs';

await inMemory();
await online({ apiKey: process.env.RAMZ_TEST_KEY });
await story(new Ramz(), process.argv[2]);
console.log('all well');
