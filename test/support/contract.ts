// The contract for tests of the generators: as buf hands it to a plugin, and a copy that a test may change.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { create, fromBinary } from '@bufbuild/protobuf';
import { type CodeGeneratorRequest, CodeGeneratorRequestSchema, FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { expect } from 'vitest';

export const root = join(import.meta.dirname, '..', '..');

/** What a plugin is asked for the contract of a folder with contract/ in it. */
export function pluginRequest(folder = root): CodeGeneratorRequest {
  const buf = join(root, 'node_modules', '.bin', 'buf');
  const args = [
    'build',
    '.',
    '--config',
    'contract/workspace.yaml',
    '--as-file-descriptor-set',
    '-o',
    '-#format=binpb',
  ];
  const set = execFileSync(buf, args, { cwd: folder, maxBuffer: 2 ** 26 });
  const { file } = fromBinary(FileDescriptorSetSchema, set);
  const own = file.filter(({ name }) => name.startsWith('ramz/'));
  const fileToGenerate = own.map(({ name }) => name);
  return create(CodeGeneratorRequestSchema, { fileToGenerate, protoFile: file, sourceFileDescriptors: own });
}

export interface ContractCopy {
  folder: string;
  /** Changes one file of contract/ramz/v1; a change that changes nothing fails the test. */
  edit(name: string, change: (text: string) => string): void;
  remove(): void;
}

export function copyContract(): ContractCopy {
  const folder = mkdtempSync(join(tmpdir(), 'ramz-contract-'));
  cpSync(join(root, 'contract'), join(folder, 'contract'), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  return {
    folder,
    edit(name, change) {
      const path = join(folder, 'contract', 'ramz', 'v1', name);
      const before = readFileSync(path, 'utf8');
      const after = change(before);
      expect(after, `${name} was not changed`).not.toBe(before);
      writeFileSync(path, after);
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
