// HAProxy before two processes, as deploy/haproxy.cfg has it.
import { startProcess } from '../../support/process.ts';
import { requireTool, toolPath } from '../../support/tool.ts';
import type { Program } from './balancer.ts';
import { tellStory } from './story.ts';

const test = requireTool('haproxy');

const haproxy: Program = {
  file: 'haproxy.cfg',
  secrets: '/etc/haproxy',
  asksReadiness: true,
  changes: ({ a, b }) => [
    ['192.0.2.11:50051 proto h2 check port 8080', `192.0.2.11:50051 proto h2 check port ${a}`],
    ['192.0.2.12:50051 proto h2 check port 8080', `192.0.2.12:50051 proto h2 check port ${b}`],
  ],
  start: (config) => startProcess(toolPath('haproxy') ?? 'haproxy', { args: ['-db', '-f', config] }),
};

test('two processes behind HAProxy', () => tellStory(haproxy));
