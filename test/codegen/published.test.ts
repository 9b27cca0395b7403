// proto/, as somebody has it who clones the repository and installs nothing: it builds, says the same as the contract, has none of our
// options, and Go programs made from it start beside a schema that has options under the same numbers.
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fromBinary } from '@bufbuild/protobuf';
import { type DescriptorProto, type FileDescriptorProto, FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { describe, expect, test } from 'vitest';
import { bareRequest } from '../../sdks/codegen/src/go/strip.ts';
import { bare } from '../../sdks/codegen/src/published/bare.ts';
import { pluginRequest, root } from '../support/contract.ts';
import { testFolder } from '../support/folder.ts';
import { requireTool, toolPath } from '../support/tool.ts';

const folder = testFolder('published');
const buf = join(root, 'node_modules', '.bin', 'buf');

/** Nothing but what git has of it: no node_modules, no contract/. */
const clone = join(folder, 'clone');
mkdirSync(clone);
for (const name of ['buf.yaml', 'proto']) cpSync(join(root, name), join(clone, name), { recursive: true });

function build(...args: string[]): FileDescriptorProto[] {
  const built = execFileSync(buf, ['build', ...args, '--as-file-descriptor-set', '-o', '-#format=binpb'], {
    cwd: clone,
  });
  return fromBinary(FileDescriptorSetSchema, built).file.filter(({ name }) => name.startsWith('ramz/'));
}

describe('in a fresh clone', () => {
  test('it builds, as a whole and by its folder', () => {
    expect(build('proto').map(({ name }) => name)).toEqual(build().map(({ name }) => name));
  });

  test('it says what the contract says', () => {
    const contract = bareRequest(pluginRequest()).protoFile.filter(({ name }) => name.startsWith('ramz/'));
    expect(build().map(plain)).toEqual(contract.map(plain));
  });

  test('no option is in it that descriptor.proto does not know, and no extension is declared', () => {
    for (const file of build()) {
      expect(file.extension).toEqual([]);
      const members = file.messageType.flatMap((message) => [message, ...message.field, ...message.oneofDecl]);
      const methods = file.service.flatMap((service) => [service, ...service.method]);
      for (const { options } of [file, ...members, ...methods]) expect(options?.$unknown ?? []).toEqual([]);
      expect(file.dependency.filter((name) => !/^(google\/protobuf|ramz\/v1)\//.test(name))).toEqual([]);
    }
  });

  test('every file has a package for each language', () => {
    for (const { options } of build()) {
      const { goPackage, javaPackage, csharpNamespace, phpNamespace, rubyPackage, swiftPrefix, objcClassPrefix } =
        options ?? {};
      const said = [goPackage, javaPackage, csharpNamespace, phpNamespace, rubyPackage, swiftPrefix, objcClassPrefix];
      expect(said.filter((name) => !name)).toEqual([]);
      expect(options?.javaMultipleFiles).toBe(true);
    }
  });
});

/** What programs see of a file; comments, options and the order of dependencies are not. */
function plain({ name, messageType, service }: FileDescriptorProto) {
  const ofMessage = ({ name: own, field, oneofDecl, nestedType }: DescriptorProto): unknown => ({
    own,
    fields: field.map(({ options: _, $typeName: __, ...rest }) => rest),
    oneofs: oneofDecl.map((each) => each.name),
    nested: nestedType.map(ofMessage),
  });
  const methods = service.flatMap((each) =>
    each.method.map((method) => [
      each.name,
      method.name,
      method.inputType,
      method.outputType,
      method.serverStreaming,
      method.options?.idempotencyLevel ?? 0,
    ]),
  );
  return { name, messages: messageType.map(ofMessage), methods };
}

describe('options', () => {
  test('of our own go, others stay, and text in quotes or comments is left alone', () => {
    const text = `syntax = "proto3";

package x;

import "google/api/annotations.proto";
import "google/protobuf/timestamp.proto";
import "ramz/v1/options.proto";

// Says [(rules) = {required: true}].
service S {
  // Calls; see "x".
  rpc Call(A) returns (A) {
    option (method) = {
      errors: ["};", "]"]
    };
  }
}

// A.
message A {
  // Which.
  oneof which {
    option (required) = true;

    // Old.
    string old = 1 [
      deprecated = true,
      (rules) = {pattern: "^[]\\"]$"}
    ];
    // Plain.
    string plain = 2;
  }
}
`;
    expect(bare(text, (options) => (options.includes('pattern') ? ['Noted.'] : []))).toBe(`syntax = "proto3";

package x;

import "google/protobuf/timestamp.proto";

// Says [(rules) = {required: true}].
service S {
  // Calls; see "x".
  rpc Call(A) returns (A);
}

// A.
message A {
  // Which.
  // One of them is required.
  oneof which {
    // Old.
    // Noted.
    string old = 1 [deprecated = true];
    // Plain.
    string plain = 2;
  }
}
`);
  });
});

describe('a Go program', () => {
  const goTest = requireTool('go', 'protoc-gen-go');
  const program = join(folder, 'program');
  const module = 'github.com/ramz-verify/ramz/sdks/go/grpc';

  /** Runs a program that links the packages of these names. */
  function started(packages: readonly string[]) {
    const imports = packages.map((name) => `\t_ "${name}"\n`).join('');
    writeFileSync(
      join(program, 'main.go'),
      `package main\n\nimport (\n\t"fmt"\n${imports})\n\nfunc main() { fmt.Println("started") }\n`,
    );
    const { status, stdout, stderr } = spawnSync(toolPath('go') as string, ['run', '.'], {
      cwd: program,
      encoding: 'utf8',
      env: { ...process.env, GOFLAGS: '-mod=mod', GOWORK: 'off' },
    });
    return { status, stdout, stderr };
  }

  /** Another schema with options of its own under our numbers. */
  function schema(name: string): string {
    const text = ['FileOptions', 'MessageOptions', 'FieldOptions', 'OneofOptions', 'MethodOptions']
      .map((kind, index) => `extend google.protobuf.${kind} {\n  optional bool own_${index} = 50201;\n}\n`)
      .join('');
    const path = join(folder, name);
    mkdirSync(path);
    writeFileSync(
      join(path, `${name}.proto`),
      `syntax = "proto3";\npackage ${name};\nimport "google/protobuf/descriptor.proto";\noption go_package = "program.test/${name}";\n${text}`,
    );
    writeFileSync(join(path, 'buf.yaml'), 'version: v2\n');
    generate(path, program, 'program.test');
    return `program.test/${name}`;
  }

  function generate(from: string, to: string, prefix: string): void {
    const template = {
      version: 'v2',
      plugins: [{ local: toolPath('protoc-gen-go'), out: to, opt: `module=${prefix}` }],
    };
    execFileSync(buf, ['generate', '--template', JSON.stringify(template)], { cwd: from });
  }

  function prepare(stubs: string): void {
    mkdirSync(program, { recursive: true });
    const requires = readFileSync(join(root, 'sdks/go/grpc/go.mod'), 'utf8').replace(/^[\s\S]*?(?=require)/, '');
    const local = requires.replace('=> ../', `=> ${join(root, 'sdks/go')}`);
    writeFileSync(
      join(program, 'go.mod'),
      `module program.test\n\ngo 1.24\n\nrequire ${module} v0.0.0\n\n${local}\nreplace ${module} => ${stubs}\n`,
    );
    cpSync(join(root, 'sdks/go/grpc/go.sum'), join(program, 'go.sum'));
  }

  goTest(
    'made of our stubs, or of stubs of its own, starts beside a schema that has our numbers',
    () => {
      prepare(join(root, 'sdks/go/grpc'));
      const [one, other] = [schema('one'), schema('other')];
      expect(started([`${module}/ramzv1`, one])).toMatchObject({ status: 0, stdout: 'started\n' });
      // Two that have one number do not, which is what this is about.
      expect(started([one, other]).stderr).toContain('conflict');
      const own = join(folder, 'own');
      mkdirSync(own);
      generate(clone, own, module);
      writeFileSync(
        join(own, 'go.mod'),
        `module ${module}\n\ngo 1.24\n\nrequire google.golang.org/protobuf v1.36.11\n`,
      );
      prepare(own);
      expect(started([`${module}/ramzv1`, one])).toMatchObject({ status: 0, stdout: 'started\n' });
    },
    240_000,
  );
});
