// Buf plugin: hands the contract on to one of Go's own plugins (first argument: protoc-gen-go, protoc-gen-connect-go),
// without the options and files that only we read. So the module of the stubs needs neither google.api nor our options.proto.

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fromBinary, toBinary } from '@bufbuild/protobuf';
import { CodeGeneratorRequestSchema } from '@bufbuild/protobuf/wkt';
import { grpcPath } from './module.ts';
import { bareRequest } from './strip.ts';

const plugin = process.argv[2] ?? '';
const program = join(import.meta.dirname, '../../../../.tools/bin', plugin);
const request = bareRequest(fromBinary(CodeGeneratorRequestSchema, readFileSync(0)));
request.parameter = `module=${grpcPath}`;
const { status, stdout, error } = spawnSync(program, {
  input: toBinary(CodeGeneratorRequestSchema, request),
  stdio: ['pipe', 'pipe', 'inherit'],
  maxBuffer: 2 ** 28,
});
if (error) throw error;
process.stdout.write(stdout);
process.exitCode = status ?? 1;
