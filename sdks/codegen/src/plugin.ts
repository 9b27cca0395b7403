// What every plugin of ours is to buf: the contract in, files out.

import { create } from '@bufbuild/protobuf';
import { CodeGeneratorResponse_Feature, CodeGeneratorResponseSchema } from '@bufbuild/protobuf/wkt';
import { runNodeJs } from '@bufbuild/protoplugin';
import { type Contract, readContract } from './contract.ts';

/** Content by name, relative to the plugin's `out`. */
export type Files = Readonly<Record<string, string>>;

/** Runs as a plugin: reads buf's request from stdin, writes the files to stdout. */
export function runPlugin(name: string, files: (contract: Contract) => Files): void {
  runNodeJs({
    name,
    version: '1',
    run: (request) =>
      create(CodeGeneratorResponseSchema, {
        supportedFeatures: BigInt(CodeGeneratorResponse_Feature.PROTO3_OPTIONAL),
        file: Object.entries(files(readContract(request))).map(([path, content]) => ({ name: path, content })),
      }),
  });
}
