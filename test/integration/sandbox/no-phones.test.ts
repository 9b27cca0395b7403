// The sandbox where the SIP stack is not installed: it is a development dependency, and everything else goes on without it.
import { registerHooks } from 'node:module';
import { expect, test } from 'vitest';
import { runSandbox } from '../../../src/sandbox/main.ts';

test('says what is missing, and runs without phones', async () => {
  const asked: string[] = [];
  const hooks = registerHooks({
    resolve: (name, context, next) => {
      if (name !== 'sip' && !name.includes('/node_modules/sip/')) return next(name, context);
      asked.push(name);
      throw Object.assign(new Error(`Cannot find package '${name}'`), { code: 'ERR_MODULE_NOT_FOUND' });
    },
  });
  const sandbox = await runSandbox().finally(() => hooks.deregister());
  try {
    expect(asked).not.toEqual([]);
    expect(sandbox).toMatchObject({ phones: null, voice: null });
    expect(sandbox.warnings).toEqual([expect.stringContaining('npm install --include=dev')]);
    const ask = (path: string, init?: RequestInit) => fetch(sandbox.httpUrl + path, init);
    expect(await (await ask('/sandbox/voice')).json()).toEqual({ voice: null });
    expect((await ask('/sandbox/recordings/1.wav')).status).toBe(404);
    const order = (action: object) => ask('/sandbox/control', { method: 'POST', body: JSON.stringify(action) });
    expect((await order({ action: 'voice_mute' })).status).toBe(400);
    expect((await order({ action: 'reset' })).status).toBe(204);
  } finally {
    await sandbox.stop();
  }
});
