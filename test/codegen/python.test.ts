// What the contract gets, the Python SDK has by generating alone; and what can't be written in Python is found at once.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readContract } from '../../sdks/codegen/src/contract.ts';
import { pythonFiles } from '../../sdks/codegen/src/python/files.ts';
import { formatPython } from '../../sdks/codegen/src/python/format.ts';
import { docstring, wrap } from '../../sdks/codegen/src/python/text.ts';
import { type ContractCopy, copyContract, pluginRequest, root } from '../support/contract.ts';
import { requireTool } from '../support/tool.ts';

let copy: ContractCopy;
beforeEach(() => {
  copy = copyContract();
});
afterEach(() => copy.remove());

/** What the plugin makes of the contract in a folder with contract/ramz in it, not yet formatted. */
const made = (from: string): Record<string, string> => pythonFiles(readContract(pluginRequest(from)));

const inService = (method: string) => (text: string) =>
  text.replace('service VerifyService {', `service VerifyService {${method}`);

requireTool('ruff')('what is committed is what the contract makes', () => {
  for (const [name, text] of Object.entries(made(root))) {
    const committed = readFileSync(join(root, 'sdks', 'python', 'src', 'ramz', '_generated', name), 'utf8');
    expect(formatPython(text), `${name}: run \`npm run generate\``).toBe(committed);
  }
});

describe('an operation with everything', () => {
  beforeEach(() => {
    copy.edit('verify.proto', (text) =>
      inService(`
  // Praises a session. With """quotes""" and a \\\\ in it.
  rpc PraiseSession(PraiseSessionRequest) returns (PraiseSessionResponse) {
    option (google.api.http) = {
      post: "/v1/verify/sessions/{id}/praise"
      body: "*"
    };
    option (method) = {scope: "verify" errors: ["session_not_found"]};
  }`)(text).concat(`
// Which session, and how.
message PraiseSessionRequest {
  // How loud.
  optional double volume = 2;
  // Identifies the session.
  string id = 1 [(rules) = {required: true}];
  // From whom.
  string from = 3 [(rules) = {required: true}];
  // When to begin.
  google.protobuf.Timestamp begin_at = 4;
  // How it is taken.
  string channel = 5 [(rules) = {values: "channel"}];
}
// The praise.
message PraiseSessionResponse {
  // How often.
  repeated int32 counts = 1;
  // Whether it was heard.
  optional bool is_heard = 2;
  // Steps of it.
  repeated CascadeLeg steps = 3;
}
`),
    );
  });

  test('is a method of both clients', () => {
    const files = made(copy.folder);
    for (const [name, awaits] of [
      ['resources.py', ''],
      ['async_resources.py', 'async '],
    ] as const) {
      const text = String(files[name]);
      expect(text).toContain(`    ${awaits}def praise(
        self,
        id: str,
        *,
        from_: str,
        volume: Optional[float] = None,
        begin_at: Optional[datetime] = None,
        channel: Optional[ChannelValue] = None,
        **options: Unpack[CallOptions],
    ) -> PraiseSessionResponse:`);
      // In the order of the contract, under the contract's names.
      expect(text).toContain('{"volume": volume, "id": id, "from": from_, "begin_at": begin_at, "channel": channel},');
      expect(text).toContain('`session_not_found`');
      expect(text).toContain('Words: `constants.Channel`.');
      expect(text).not.toContain('"""quotes');
    }
    expect(files['operations.py']).toContain('path="/v1/verify/sessions/{id}/praise"');
  });

  test('answers a dataclass', () => {
    const types = String(made(copy.folder)['types.py']);
    expect(types).toContain('    counts: tuple[int, ...] = ()');
    expect(types).toContain('    is_heard: Optional[bool] = None');
    expect(types).toContain('steps=_read.items(data, "steps", CascadeLeg.from_dict),');
    expect(types).not.toContain('class PraiseSessionRequest');
  });

  test('takes dictionaries whose keys are known', () => {
    copy.edit('verify.proto', (text) =>
      text.replace(
        'message PraiseSessionRequest {',
        'message PraiseSessionRequest {\n  // Steps.\n  repeated CascadeLeg steps = 6;',
      ),
    );
    const files = made(copy.folder);
    expect(files['resources.py']).toContain('steps: Optional[Sequence[Union[CascadeLeg, CascadeLegInput]]] = None,');
    expect(files['types.py']).toMatch(
      /class _CascadeLegInputRequired\(TypedDict\):\s+channel: ChannelValue\s+class CascadeLegInput\(_CascadeLegInputRequired, total=False\):[^"]*"""[^"]*"""\s+timeout_seconds: int/,
    );
    expect(files['types.py']).toMatch(/^ChannelValue = Union\[Literal\["sms", "whatsapp", "voice"\], str\]$/m);
  });

  test('is a class of its own for each type of event', () => {
    const types = String(made(copy.folder)['types.py']);
    expect(types).toMatch(
      /class SessionVerifiedEvent\(WebhookEvent\):\s+"""[^"]*"""\s+type: Literal\["session.verified"\]/,
    );
    expect(types).toMatch(/^Event = Union\[\s*ReceiptUpdatedEvent,/m);
  });
});

test('a type that the SDK does not know, and two parameters of one name, stop the generator', () => {
  copy.edit('verify.proto', (text) =>
    text.replace('message CheckResponse {', 'message CheckResponse {\n  // A hash.\n  bytes hash = 99;'),
  );
  expect(() => made(copy.folder)).toThrow('CheckResponse.hash');
  copy.edit('verify.proto', (text) =>
    text
      .replace('  bytes hash = 99;', '  string hash = 99;')
      .replace('message CheckRequest {', 'message CheckRequest {\n  // Clashes.\n  string timeout = 99;'),
  );
  expect(() => made(copy.folder)).toThrow('two parameters called timeout');
});

test('docstrings are wrapped and closed', () => {
  expect(wrap('a b\n\nc', 98)).toEqual(['a', 'b', '', 'c']);
  expect(docstring(['Short.'], 4)).toEqual(['    """Short."""']);
  expect(docstring(['It says "no"'], 0)).toEqual(['"""It says "no"', '"""']);
  expect(docstring(['a \\ b', '', 'c'], 0)).toEqual(['"""a \\\\ b', '', 'c', '"""']);
});
