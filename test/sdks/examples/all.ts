// Every example is installed, started and used. Run by `node --test` with the environment of ../live.ts and RAMZ_FOLDER.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { freePort } from '../../support/free-port.ts';
import { startExample } from './server.ts';
import { examples } from './servers.ts';
import { callbacks, login, mistakes, newEndpoint, newNumber, stumbles } from './story.ts';

for (const example of examples) {
  test(example.name, async (t) => {
    const folder = join(process.env.RAMZ_FOLDER ?? '', example.name);
    mkdirSync(folder, { recursive: true });
    const installed = await example.install(folder);
    if (installed.kind === 'missing') return t.skip(installed.reason);
    const port = await freePort();
    const endpoint = await newEndpoint(`http://127.0.0.1:${port}/webhooks/ramz`);
    const secret = { RAMZ_WEBHOOK_SECRET: endpoint.secret };
    const running = await startExample(example.start(folder, port), folder, port, secret);
    const phone = newNumber();
    try {
      await t.test('logs in with a code', () => login(running, phone));
      await t.test('takes genuine webhooks, each once', () => callbacks(running, endpoint, phone));
    } catch (error) {
      throw new Error(`it said:\n${running.said()}`, { cause: error });
    } finally {
      await running.stop();
    }
    for (const mistake of await mistakes())
      await t.test(`${mistake.name} is 503, and a line in the log`, async () => {
        const own = await freePort();
        const broken = await startExample(example.start(folder, own), folder, own, { ...secret, ...mistake.env });
        await stumbles(broken, mistake)
          .catch((error) => {
            throw new Error(`it said:\n${broken.said()}`, { cause: error });
          })
          .finally(() => broken.stop());
      });
  });
}
