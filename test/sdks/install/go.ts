// A module that needs sdks/go and its stubs for gRPC, from a copy without anything that is not committed or about to be.

import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root, run } from '../../../scripts/run.ts';
import { type Installed, missing, must, ready } from './install.ts';

const modulePath = 'github.com/ramz-verify/ramz/sdks/go';
const grpcPath = `${modulePath}/grpc`;

export async function installGo(folder: string): Promise<Installed> {
  const { code, output } = await run('go', ['env', 'GOVERSION']);
  const minor = Number(/^go1\.(\d+)/m.exec(output)?.[1]);
  if (code !== 0 || !(minor >= 24)) return missing('Go 1.24 or newer is needed: https://go.dev/dl');
  mkdirSync(folder, { recursive: true });
  cpSync(join(root, 'sdks', 'go'), join(folder, 'sdk'), { recursive: true });
  const needed = [modulePath, grpcPath].map((path) => `\t${path} v0.1.0`);
  const replaced = [`\t${modulePath} => ./sdk`, `\t${grpcPath} => ./sdk/grpc`];
  const module = `module example.com/project\n\ngo 1.24.0\n\nrequire (\n${needed.join('\n')}\n)\n\nreplace (\n${replaced.join('\n')}\n)\n`;
  writeFileSync(join(folder, 'go.mod'), module);
  // Something that imports it, so that `go mod tidy` knows what is needed.
  mkdirSync(join(folder, 'needs'));
  const imports = ['', '/webhooks', '/ramztest', '/grpc', '/grpc/ramzv1/ramzv1connect']
    .map((path) => `import _ "${modulePath}${path}"\n`)
    .join('');
  writeFileSync(join(folder, 'needs', 'needs.go'), `package needs\n\n${imports}`);
  await must('go', ['mod', 'tidy'], folder);
  return ready(folder);
}
