// HAProxy before two processes, as deploy/haproxy.cfg has it.
import { startProcess } from '../../support/process.ts';
import { requireTool, toolPath } from '../../support/tool.ts';
import { type Program, tellStory } from './story.ts';

const test = requireTool('haproxy');

const haproxy: Program = {
  file: 'haproxy.cfg',
  asksReadiness: true,
  changes: ({ rest, grpc, a, b, folder }) => [
    ['0.0.0.0:443', rest],
    ['0.0.0.0:50051', grpc],
    ['192.0.2.11:8080', a.rest],
    ['192.0.2.12:8080', b.rest],
    ['192.0.2.11:50051 proto h2 check port 8080', `${a.grpc} proto h2 check port ${a.rest.split(':')[1]}`],
    ['192.0.2.12:50051 proto h2 check port 8080', `${b.grpc} proto h2 check port ${b.rest.split(':')[1]}`],
    ['/etc/haproxy', folder],
  ],
  start: (config) => startProcess(toolPath('haproxy') ?? 'haproxy', { args: ['-db', '-f', config] }),
};

test('two processes behind HAProxy', () => tellStory(haproxy), 180_000);
