// What the contract gets, the PHP SDK has by generating alone: an RPC, a field and a word are added here and looked for.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { readContract } from '../../sdks/codegen/src/contract.ts';
import { phpFiles } from '../../sdks/codegen/src/php/files.ts';
import { copyContract, pluginRequest, root } from '../support/contract.ts';
import { addPraise } from './praise.ts';

const php = join(root, 'sdks', 'php');
const { folder, edit, remove } = copyContract();
afterAll(remove);

/** What the plugin makes of the contract in a folder with contract/ramz in it. */
const generated = (from: string): Map<string, string> =>
  new Map(Object.entries(phpFiles(readContract(pluginRequest(from)))));

test('what is committed is what the contract makes', () => {
  const made = generated(root);
  const committed = readdirSync(join(php, 'generated'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(join(php, 'generated').length + 1));
  expect(committed.sort()).toEqual([...made.keys()].sort());
  for (const [name, content] of made) expect(readFileSync(join(php, 'generated', name), 'utf8'), name).toBe(content);
});

test('an RPC, a field and a word that are new are in the SDK', () => {
  addPraise(edit, {
    response: `
  // Steps of it.
  repeated CascadeLeg steps = 2;
  // How often.
  repeated int32 counts = 3;`,
  });
  const made = generated(folder);
  const resource = String(made.get('Resource/VerifyResource.php'));
  expect(resource).toContain('* Praises a session.');
  expect(resource).toContain(`    public function praise(
        string $id,
        array $words,
        ?float $volume = null,
        ?\\DateTimeInterface $beginAt = null,
        ?CallOptions $options = null,
    ): PraiseSessionResponse {`);
  expect(resource).toContain("'/v1/verify/sessions/' . Arguments::segment('id', $id) . '/praise'");
  expect(resource).toContain("'begin_at' => Arguments::time($beginAt),");
  expect(resource, 'it may have been done').toMatch(/praise'[^;]*isRepeatable: false/);
  expect(resource, 'no comment ends ours').not.toContain('loud */ it is');
  const answer = String(made.get('Model/PraiseSessionResponse.php'));
  expect(answer).toContain("public readonly string $mood = '',");
  expect(answer).toContain('@param list<CascadeLeg> $steps Steps of it.');
  expect(answer).toContain("counts: Json::all($data, 'counts', Json::integerOrNull(...)),");
  expect(made.has('Model/PraiseSessionRequest.php'), 'requests are arguments').toBe(false);
  const session = String(made.get('Model/Session.php'));
  expect(session).toContain('public readonly ?int $charmLevel = null,');
  expect(session).toContain("charmLevel: Json::integerOrNull($data, 'charm_level'),");
  expect(made.get('Value/Channel.php')).toContain("public const CARRIER_PIGEON = 'carrier_pigeon';");
});

test('a service that is new is a property of the client', () => {
  edit('receipt.proto', (text) =>
    text
      .replace(
        'import "ramz/v1/options.proto";',
        'import "google/api/annotations.proto";\nimport "ramz/v1/options.proto";',
      )
      .concat(`
// Birds.
service BirdService {
  // Gets a bird.
  rpc GetBird(GetBirdRequest) returns (GetBirdResponse) {
    option idempotency_level = NO_SIDE_EFFECTS;
    option (google.api.http) = {get: "/v1/birds/{id}" response_body: "bird"};
    option (method) = {scope: "read"};
  }
}
// Which bird.
message GetBirdRequest {
  // Identifies it.
  string id = 1 [(rules) = {required: true}];
}
// The bird.
message GetBirdResponse {
  // The bird.
  Bird bird = 1;
}
// A bird.
message Bird {
  // Identifies it.
  string id = 1;
}
`),
  );
  const made = generated(folder);
  expect(made.get('Internal/Resources.php')).toContain('public readonly BirdResource $bird;');
  expect(made.get('Resource/BirdResource.php')).toContain(
    'public function get(string $id, ?CallOptions $options = null): Bird',
  );
  expect(made.get('Model/Bird.php')).toContain('final class Bird implements \\JsonSerializable');
});

test('version and changelog agree', () => {
  const version = /VERSION = '([^']+)'/.exec(readFileSync(join(php, 'src', 'Client.php'), 'utf8'))?.[1];
  expect(readFileSync(join(php, 'CHANGELOG.md'), 'utf8')).toContain(`\n## ${version},`);
});
