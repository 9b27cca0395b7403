// A bug that nobody caught, brought in from outside: the process says so in its log, without numbers, and ends.
import { expect, test } from 'vitest';
import { startScript } from '../support/process.ts';
import { testService } from '../support/service.ts';

const service = await testService();

test.each([
  ['thrown', "throw new Error('a bug of +213551234567')"],
  ['rejected', "Promise.reject(new Error('a bug of +213551234567'))"],
])('a bug that nobody caught is logged as fatal, and ends the process: %s', async (_, bug) => {
  const preload = `process.on('SIGUSR2', () => { ${bug} })`;
  const server = startScript('src/main.ts', {
    args: ['serve'],
    env: { ...service.env, NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(preload)}` },
  });
  await server.waitFor(/"msg":"ready"/);
  process.kill(server.pid, 'SIGUSR2');
  expect(await server.exit()).toMatchObject({ code: 1 });
  // A line that was being written when it ended may come behind it.
  const last = server
    .output()
    .split('\n')
    .findLast((line) => line.includes('"level":"fatal"'));
  expect(JSON.parse(last ?? '{}')).toMatchObject({
    level: 'fatal',
    msg: expect.stringContaining('a bug that nobody caught'),
    err: { message: 'a bug of +2135*****67', stack: expect.stringContaining('Error: a bug of') },
  });
  expect(server.output()).not.toContain('+213551234567');
});
