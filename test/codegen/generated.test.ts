// A change of the contract reaches every SDK by generating alone: a copy of it gets a new operation, a new field, a new
// word, a new error code and a new event, and every template of `npm run generate` is run on it, into a folder.
import { execFile } from 'node:child_process';
import { cpSync, globSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { copyContract, root } from '../support/contract.ts';
import { requireTool, toolPath } from '../support/tool.ts';

const tools = ['protoc-gen-go', 'protoc-gen-connect-go', 'ruff'];
const test = requireTool(...tools);

const copy = copyContract();
const out = join(copy.folder, 'out');
afterAll(copy.remove);

beforeAll(async () => {
  if (tools.some((tool) => toolPath(tool) === undefined)) return; // The tests are skipped.
  cpSync(join(root, 'buf.gen.yaml'), join(copy.folder, 'buf.gen.yaml'));
  // Plugins are named by their path from here.
  for (const name of ['sdks', '.tools', 'package.json']) symlinkSync(join(root, name), join(copy.folder, name));
  edit('verify.proto', /(service VerifyService \{\n)/, newOperation);
  edit('verify.proto', /(message CheckResponse \{\n)/, '  // How sure we are.\n  string certainty = 99;\n');
  edit('verify.proto', /$/, newMessages);
  edit(
    'values.proto',
    /name: "channel"\n.*\n {2}values: \[\n/,
    '    {\n      name: "pigeon"\n      description: "By air."\n    },\n',
  );
  edit('errors.proto', /$/, newError);
  edit('events.proto', /$/, newEvent);
  const buf = join(root, 'node_modules', '.bin', 'buf');
  const generate = (name: string) =>
    promisify(execFile)(buf, ['generate', '--config', 'contract/workspace.yaml', '--template', name, '--output', out], {
      cwd: copy.folder,
    });
  await Promise.all(['buf.gen.yaml', ...globSync('sdks/codegen/buf.gen.*.yaml', { cwd: root })].map(generate));
}, 10 * 60_000);

const newOperation = `  // Pauses a session.
  rpc PauseSession(PauseSessionRequest) returns (PauseSessionResponse) {
    option (google.api.http) = {
      post: "/v1/verify/sessions/{id}/pause"
      body: "*"
    };
    option (method) = {scope: "verify"};
  }
`;
const newMessages = `
// Which session, and for how long.
message PauseSessionRequest {
  // Identifies the session.
  string id = 1 [(rules) = {required: true}];
  // For how long.
  int32 pause_seconds = 2;
}

// When it goes on.
message PauseSessionResponse {
  // When it goes on.
  google.protobuf.Timestamp resumes_at = 1;
}
`;
const newError = `
option (error_codes) = {
  name: "already_paused"
  description: "The session is paused already."
  http_status: 409
  grpc_code: "FAILED_PRECONDITION"
};
`;
const newEvent = `
option (event_types) = {
  name: "session.paused"
  description: "A session was paused."
  data: "ramz.v1.SessionEvent"
};
`;

const edit = (name: string, where: RegExp, text: string): void =>
  copy.edit(name, (before) => before.replace(where, (found) => found + text));

/** All that was generated under a folder, or one file. */
const generated = (path: string): string =>
  globSync(path.includes('.') ? path : `${path}/**/*.{ts,js,py,pyi,go,php,json}`, { cwd: out })
    .map((name) => readFileSync(join(out, name), 'utf8'))
    .join('\n');

const expectations: Record<string, RegExp[]> = {
  'src/gen': [/rpc PauseSession|pauseSession/, /certainty/, /'pigeon'/, /already_paused/, /session\.paused/],
  'src/gen/openapi.json': [
    /"\/v1\/verify\/sessions\/\{id\}\/pause"/,
    /"pause_seconds": \{/,
    /"resumes_at": \{/,
    /"certainty": \{/,
    /"pigeon"/,
    /"already_paused"/,
    /"session\.paused": \{/,
  ],
  'sdks/python': [
    /def pause\(/,
    /async def pause\(/,
    /pause_seconds/,
    /certainty: str/,
    /"pigeon"/,
    /already_paused/,
    /session\.paused/,
  ],
  'sdks/node': [/\bpause\(/, /pauseSeconds/, /certainty/, /'pigeon'/, /already_paused/, /session\.paused/],
  'sdks/go': [
    /\) Pause\(ctx/,
    /PauseSeconds/,
    /type PauseSessionResponse struct \{/,
    /ResumesAt time\.Time `json:"resumes_at,omitzero"`/,
    /Certainty/,
    /"pigeon"/,
    /already_paused/,
    /session\.paused/,
  ],
  'sdks/php': [
    /function pause\(/,
    /pauseSeconds/,
    /string \$certainty/,
    /'pigeon'/,
    /already_paused/,
    /session\.paused/,
  ],
  'sdks/laravel': [/final class SessionPaused/, /'session\.paused' => SessionPaused::class/],
};

describe.each(Object.entries(expectations))('%s', (path, patterns) => {
  for (const pattern of patterns) test(`has ${pattern}`, () => expect(generated(path)).toMatch(pattern));
});
