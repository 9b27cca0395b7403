// Buf plugin: proto/, the contract as others build it. Stubs need messages, services and comments; our options stay behind, because
// their numbers are for use in one house only (descriptor.proto: 50000 to 99999), and two schemas with one number keep a Go program
// from starting. So nothing there imports anything but google.protobuf, and what a reader would miss is said in comments.

import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Contract } from './contract.ts';
import { generatedBy } from './header.ts';
import { runPlugin } from './plugin.ts';
import { bare } from './published/bare.ts';

const folder = join('contract', 'ramz', 'v1');

/** What a package is called where its name alone does not say it. Swift and Objective-C have prefixes in place of packages. */
const packages = [
  ['csharp_namespace', '"Ramz.V1"'],
  ['go_package', '"github.com/ramz-verify/ramz/sdks/go/grpc/ramzv1;ramzv1"'],
  ['java_multiple_files', 'true'],
  ['java_package', '"io.github.ramz_verify.v1"'],
  ['objc_class_prefix', '"RMZ"'],
  ['php_namespace', '"Ramz\\\\V1"'],
  ['ruby_package', '"Ramz::V1"'],
  ['swift_prefix', '"Ramz"'],
] as const;

runPlugin('ramz-published', (contract) =>
  Object.fromEntries(
    globSync('*.proto', { cwd: folder })
      .sort()
      .map((name): [string, string] => [name, readFileSync(join(folder, name), 'utf8')])
      .filter(([, text]) => isPublic(text))
      .map(([name, text]) => [`ramz/v1/${name}`, published(contract, name, text)]),
  ),
);

/** Files that declare options, or do nothing but set some, have nothing to make stubs from. */
const isPublic = (text: string): boolean => /^(message|service) /m.test(text) && !/^extend /m.test(text);

function published(contract: Contract, name: string, text: string): string {
  const words = new Map(contract.valueSets.map((set) => [set.name, set.values.map((value) => value.name)]));
  const stripped = bare(text, (rules) => {
    const set = /\bvalues: "(\w+)"/.exec(rules)?.[1];
    return [
      ...(/\brequired: true/.test(rules) ? ['Required.'] : []),
      ...(set ? [`Known values: ${(words.get(set) ?? []).map((word) => `\`${word}\``).join(', ')}.`] : []),
    ];
  });
  const own = `// ${generatedBy(basename(import.meta.filename))}\n\n${stripped}`;
  const options = packages.map(([option, value]) => `option ${option} = ${value};\n`).join('');
  // Behind the imports, or the package where there are none.
  const head = /^package [^\n]*\n(\nimport [^\n]*\n(import [^\n]*\n)*)?/m.exec(own);
  if (!head) throw new Error(`${name} has no package`);
  const end = head.index + head[0].length;
  return `${own.slice(0, end)}\n${options}${own.slice(end)}`;
}
