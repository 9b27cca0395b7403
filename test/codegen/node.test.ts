// What the contract gets, the Node SDK has by generating alone: an RPC, fields and a word are added here and looked for.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { readContract } from '../../sdks/codegen/src/contract.ts';
import { nodeFiles } from '../../sdks/codegen/src/node.ts';
import { copyContract, pluginRequest, root } from '../support/contract.ts';
import { addPraise } from './praise.ts';

const { folder, edit, remove } = copyContract();
afterAll(remove);

test('what is committed is what the contract makes', () => {
  const buf = join(root, 'node_modules', '.bin', 'buf');
  const out = join(folder, 'out');
  execFileSync(
    buf,
    [
      'generate',
      '--config',
      'contract/workspace.yaml',
      '--template',
      'sdks/codegen/buf.gen.node.yaml',
      '--output',
      out,
    ],
    { cwd: root },
  );
  const made = filesOf(join(out, 'sdks', 'node', 'src', 'gen'));
  const committed = filesOf(join(root, 'sdks', 'node', 'src', 'gen'));
  expect([...committed.keys()]).toEqual([...made.keys()]);
  for (const [name, content] of made) expect(committed.get(name), name).toBe(content);
});

/** Path below the folder → content, by path. */
function filesOf(path: string): Map<string, string> {
  const entries = readdirSync(path, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const files = entries.map((entry) => join(entry.parentPath, entry.name)).sort();
  return new Map(files.map((file) => [file.slice(path.length + 1), readFileSync(file, 'utf8')]));
}

test('an RPC, fields and a word that are new are in the SDK', () => {
  addPraise(edit, {
    request: `
  // Steps to praise.
  repeated CascadeLeg steps = 5;`,
    response: `
  // When it ended.
  google.protobuf.Timestamp ended_at = 2;`,
  });
  edit('events.proto', (text) =>
    text.concat('option (event_types) = {name: "moon.risen" description: "It rose." data: "ramz.v1.WabaEvent"};\n'),
  );
  const made = nodeFiles(readContract(pluginRequest(folder)));
  const of = (name: string) => String(made[name]);

  const resource = of('resources/verify.ts');
  expect(resource).toContain('   * Praises a session.');
  expect(resource).toContain('   * - `session_not_found`:');
  expect(resource).toContain(
    'praise(id: string, request: PraiseSessionRequest, options?: CallOptions): Promise<PraiseSessionResponse> {',
  );
  expect(resource).toContain("unary<PraiseSessionResponse>(operations['verify.praise'], [id], request, options)");
  expect(of('operations.ts')).toMatch(
    /'verify\.praise': \{\s+name: 'verify.praise',\s+verb: 'POST',\s+path: '\/v1\/verify\/sessions\/\{id\}\/praise',[^}]*repeatable: false,/,
  );

  const types = of('types.ts');
  const request = /export interface PraiseSessionRequest \{.*?\n\}/s.exec(types)?.[0] ?? '';
  expect(request).toContain('  volume?: number | null | undefined;');
  expect(request).toContain('  words: readonly string[];');
  expect(request).toContain('  beginAt?: Date | string | null | undefined;');
  expect(request).toContain('  steps?: readonly CascadeLegInput[] | null | undefined;');
  expect(request, 'what stands in the path').not.toContain('  id');
  expect(request, 'no comment ends ours').not.toContain('loud */');
  expect(types).toMatch(/export interface PraiseSessionResponse \{[^}]* {2}mood: Channel;[^}]* {2}endedAt\?: Date;/s);
  expect(types).toContain('  charmLevel?: number;');

  expect(of('shapes.ts')).toContain("PraiseSessionResponse: { mood: 'string', ended_at: 'time' },");
  expect(of('shapes.ts')).toContain("charm_level: 'number?',");
  expect(of('words.ts')).toContain("  /** A bird. */\n  carrierPigeon: 'carrier_pigeon',");
  expect(of('events.ts')).toContain(
    "export interface MoonRisenEvent extends WebhookEventBase {\n  type: 'moon.risen';",
  );
  expect(of('events.ts')).toContain("'moon.risen': 'WabaEvent',");
});
