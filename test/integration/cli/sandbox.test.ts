// The port of the sandbox's page: the one that is asked for or none, else one that is easy to remember.
import { createServer } from 'node:http';
import { expect, test } from 'vitest';
import { sandboxPorts } from '../../../src/cli/sandbox.ts';
import { listen } from '../../support/listen.ts';
import { startScript } from '../../support/process.ts';

const sandbox = (env: Record<string, string>) =>
  startScript('src/main.ts', { args: ['sandbox'], env: { PORT: '', SANDBOX_PORT: '', GRPC_PORT: '', ...env } });

test('ten above the service, and above that the next one that no door of it has', () => {
  const first = (env: Record<string, string>) => {
    const ports = sandboxPorts(env);
    return ports.kind === 'refused' ? ports.reason : ports.ports.slice(0, 3);
  };
  expect(first({})).toEqual([8090, 8091, 8092]);
  expect(first({ PORT: '9000', GRPC_PORT: '9011' })).toEqual([9010, 9012, 9013]);
  expect(first({ PORT: '65524' })).toEqual([65_534, 65_535, 0]);
  expect(first({ PORT: '0' })).toEqual([0]);
  expect(first({ PORT: '9000', SANDBOX_PORT: '7000' })).toEqual([7000]);
  expect(first({ SANDBOX_PORT: '65536' })).toBe('SANDBOX_PORT: 65536 is no port: 0 to 65535, 0 = any');
  expect(first({ SANDBOX_PORT: 'http' })).toBe('SANDBOX_PORT: http is no port: 0 to 65535, 0 = any');
});

test('a taken port is passed over where none was asked for', async () => {
  const { port } = await listen(createServer());
  const started = sandbox({ PORT: String(port - 10) });
  const [, at] = await started.waitFor(/sandbox at http:\/\/127\.0\.0\.1:(\d+)/);
  expect(Number(at)).not.toBe(port);
  expect((await fetch(`http://127.0.0.1:${at}/sandbox/health`)).status).toBe(200);
  expect(await started.end()).toEqual({ code: 0, signal: null });
});

test('a taken port that was asked for ends the start, and the setting is named', async () => {
  const { port } = await listen(createServer());
  const started = sandbox({ SANDBOX_PORT: String(port) });
  expect(await started.exit()).toEqual({ code: 1, signal: null });
  expect(started.output()).toBe(
    `ramz: port ${port} is taken: set SANDBOX_PORT to a free one (0 = any), or leave it out\n`,
  );
});
