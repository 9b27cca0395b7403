// Buf plugin: the Python SDK's messages, operations, resources and constants, formatted by the SDK's own formatter (ruff,
// from the Python tools that scripts/generate.ts prepares).

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { create } from '@bufbuild/protobuf';
import { CodeGeneratorResponse_Feature, CodeGeneratorResponseSchema } from '@bufbuild/protobuf/wkt';
import { runNodeJs } from '@bufbuild/protoplugin';
import { readContract } from './contract.ts';
import { pythonFiles } from './python/files.ts';

const root = join(import.meta.dirname, '..', '..', '..');

runNodeJs({
  name: 'ramz-python',
  version: '1',
  run(request) {
    const files = Object.entries(pythonFiles(readContract(request)));
    return create(CodeGeneratorResponseSchema, {
      supportedFeatures: BigInt(CodeGeneratorResponse_Feature.PROTO3_OPTIONAL),
      file: files.map(([name, text]) => ({
        name,
        content: formatted(formatted(text, 'check', '--fix-only', '--exit-zero'), 'format'),
      })),
    });
  },
});

/** `text` after `ruff <args>`; the first of both also drops imports that nothing needs. */
function formatted(text: string, ...args: string[]): string {
  const config = join(root, 'sdks', 'python', 'pyproject.toml');
  const options = ['--quiet', '--no-cache', '--config', config, '--stdin-filename', 'generated.py', '-'];
  const ended = spawnSync(join(root, '.tools', 'python', 'bin', 'ruff'), [...args, ...options], {
    input: text,
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  });
  if (ended.error) throw ended.error;
  if (ended.status !== 0) throw new Error(`ruff ${args[0]}: ${ended.stderr}`);
  return ended.stdout;
}
