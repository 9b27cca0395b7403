import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { environmentLate } from '../../../scripts/shake/late.ts';

/** Writes numbers to itself until one is late, and prints what it has read. */
const talk = `
  const server = require('node:net').createServer((socket) => socket.pipe(socket)).listen(0, '127.0.0.1', () => {
    const socket = require('node:net').connect(server.address().port, '127.0.0.1').setEncoding('utf8');
    let isLate = false;
    let [read, next, at] = ['', 0, performance.now()];
    const say = () => socket.write(next++ + ',');
    socket.on('connect', () => [1, 2, 3].forEach(say));
    socket.on('data', (text) => {
      read += text;
      if (performance.now() - at >= 100) isLate = true;
      at = performance.now();
      if (!isLate) return text.replaceAll(',', say);
      console.log(JSON.stringify(read.split(',').slice(0, -1).map(Number)));
      process.exit();
    });
  });`;

test('some writes are late, and what is written on a connection stays in order', () => {
  const env = environmentLate(400, process.env);
  const said = execFileSync(process.execPath, ['-e', talk], { env, encoding: 'utf8', timeout: 60_000 });
  const numbers = JSON.parse(said) as number[];
  expect(numbers).toEqual(numbers.map((_, index) => index));
});

test('what a process says before it exits is not late', () => {
  // As much as there is room for in the pipe: what is beyond waits for its reader, and an exit loses that in any run.
  const speak = "for (let n = 0; n < 60; n += 1) console.log('said'); process.exit();";
  const env = environmentLate(400, process.env);
  for (let run = 0; run < 5; run += 1) {
    const said = execFileSync(process.execPath, ['-e', speak], { env, encoding: 'utf8', timeout: 60_000 });
    expect(said).toBe('said\n'.repeat(60));
  }
});

test('without it nothing is changed', () => {
  expect(environmentLate(0, { A: 'b' })).toEqual({ A: 'b' });
});
