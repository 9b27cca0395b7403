// docs/versioning.md holds: against the baseline nothing is broken that clients may count on, in what buf sees and in our options. Each
// kind of break is made in a copy, so that none can come unseen.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { create, fromBinary } from '@bufbuild/protobuf';
import { CodeGeneratorRequestSchema, FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { afterAll, expect, test } from 'vitest';
import { readContract } from '../../sdks/codegen/src/contract.ts';
import { copyContract, pluginRequest, root } from '../support/contract.ts';
import { breaks } from './versioning.ts';

function baseline() {
  const { file } = fromBinary(FileDescriptorSetSchema, readFileSync(join(root, 'contract', 'baseline.binpb')));
  const own = file.filter(({ name }) => name.startsWith('ramz/'));
  const fileToGenerate = own.map(({ name }) => name);
  return readContract(
    create(CodeGeneratorRequestSchema, { fileToGenerate, protoFile: file, sourceFileDescriptors: own }),
  );
}

const before = baseline();
const copy = copyContract();
afterAll(copy.remove);

test('buf finds nothing broken', () => {
  const buf = join(root, 'node_modules', '.bin', 'buf');
  const args = ['breaking', 'contract', '--config', 'contract/workspace.yaml', '--against', 'contract/baseline.binpb'];
  execFileSync(buf, args, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
});

test('no word, code, event, route, scope or rule that clients count on is gone or narrower', () => {
  expect(breaks(before, readContract(pluginRequest()))).toEqual([]);
});

test('each of these would be seen', () => {
  const change = (name: string, from: RegExp | string, to: string) => copy.edit(name, (text) => text.replace(from, to));
  change('values.proto', /name: "voice"/, 'name: "call"');
  change('errors.proto', /(name: "no_route"[\s\S]*?http_status: )\d+/, '$1409');
  change('errors.proto', /name: "overloaded"/, 'name: "too_busy"');
  change('verify.proto', '"overloaded"', '"too_busy"');
  change('verify.proto', '"/v1/verify/check"', '"/v1/verify/codes"');
  change('verify.proto', /(title: "Get a session"\s+scope: )"read"/, '$1"verify"');
  change('verify.proto', /(title: "Cancel a session"[\s\S]*?errors: \[)/, '$1"number_locked", "no_such",');
  change('errors.proto', /$/, 'option (error_codes) = {name: "no_such" http_status: 410 grpc_code: "NOT_FOUND"};\n');
  change('verify.proto', /(title: "Send a code"[\s\S]*?)idempotency_key: true/, '$1');
  change('verify.proto', /max_length: 32\n/, 'max_length: 31\n');
  change(
    'verify.proto',
    /(repeated CascadeLeg cascade = 7 \[\(rules\) = \{)max_items: 3/,
    '$1max_items: 2 unique: true required: true',
  );
  change('verify.proto', /(string client_reference = 9 \[\(rules\) = \{)/, '$1pattern: "^a" ');
  change('events.proto', /(name: "session.verified"[\s\S]*?data: )"[^"]*"/, '$1"ramz.v1.NumberEvent"');
  change(
    'account.proto',
    /(message CreateAccountRequest \{\n)/,
    '$1  string town = 99 [(rules) = {required: true}];\n',
  );
  change('session.proto', /(oneof target \{\n)/, '$1    option (required) = true;\n');
  expect(breaks(before, readContract(pluginRequest(copy.folder)))).toEqual([
    'channel: the word voice is gone',
    'error_code: the word overloaded is gone',
    'error code no_route: HTTP status was 400 and is 409',
    expect.stringMatching(/^event session.verified: data was .* and is ramz.v1.NumberEvent$/),
    'VerifyService.Send takes no Idempotency-Key any more',
    expect.stringMatching(
      /^VerifyService.Check: route was post \/v1\/verify\/check .* and is post \/v1\/verify\/codes /,
    ),
    'VerifyService.GetSession: scope was read and is verify',
    'VerifyService.CancelSession: no_such brings the status 410, which it never answered',
    'SendRequest.cascade is required now',
    'SendRequest.cascade must be unique now',
    'SendRequest.cascade: maxItems is 2',
    'SendRequest.purpose: maxLength is 31',
    'SendRequest.client_reference: the pattern is ^a',
    'Autofill: one of android_app_hash or web_origin must be given now',
    'CreateAccountRequest.town is new and required',
  ]);
});
