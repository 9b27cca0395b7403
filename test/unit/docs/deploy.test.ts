// What the files of deploy/ have to agree on among each other.
import { expect, test } from 'vitest';
import { read } from './pages.ts';

test('nginx waits as long for a watch at either port, and HAProxy too', () => {
  const timeOf = (file: string, name: string) => new RegExp(`^ *${name} +(\\w+);?$`, 'm').exec(read(file))?.[1];
  const waits = timeOf('deploy/nginx.conf', 'grpc_read_timeout');
  expect(waits).toMatch(/^\d+m$/);
  expect(timeOf('deploy/nginx.conf', 'proxy_read_timeout')).toBe(waits);
  expect(timeOf('deploy/haproxy.cfg', 'timeout server')).toBe(waits);
});
