// proto.ts of the Node SDK: what protoc-gen-es made, in one place, and the services by name.

import type { DescFile, DescService } from '@bufbuild/protobuf';
import type { Model } from '../model.ts';
import { file, importing } from './print.ts';

export function renderProto({ client }: Model): string {
  const services = client.resources.map(({ service }) => service);
  const files = new Map<string, DescFile>();
  for (const { file: one } of [...services, ...client.messages])
    if (one.proto.package.startsWith('ramz.')) files.set(one.name, one);
  return file(
    ...importing(['DescService'], '@bufbuild/protobuf'),
    ...services.toSorted(byPath).flatMap((service) => importing([service.name], pathOf(service.file), 'value')),
    '',
    ...[...files.values()].map((one) => `export * from '${pathOf(one)}';`).sort(),
    '',
    '/** Every service of the contract. */',
    'export const services: readonly DescService[] = [',
    ...services.map(({ name }) => `  ${name},`),
    '];',
  );
}

const byPath = (one: DescService, other: DescService): number => (pathOf(one.file) < pathOf(other.file) ? -1 : 1);

const pathOf = ({ name }: DescFile): string => `./${name}_pb.ts`;
