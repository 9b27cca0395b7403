// Every method of the contract, read from the generated descriptors: a new service needs no line anywhere to be among them.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { DescMethod, DescService } from '@bufbuild/protobuf';

const folder = join(import.meta.dirname, '..', '..', 'src', 'gen', 'ramz', 'v1');

export async function allMethods(): Promise<DescMethod[]> {
  const files = readdirSync(folder).filter((name) => name.endsWith('_pb.ts'));
  const modules = await Promise.all(files.map((name) => import(join(folder, name)) as Promise<object>));
  const services = modules.flatMap((module) => Object.values(module).filter(isService));
  return services.flatMap(({ methods }) => methods);
}

const isService = (value: unknown): value is DescService =>
  typeof value === 'object' && value !== null && (value as { kind?: unknown }).kind === 'service';

/** `VerifyService/Send`. */
export const shortName = (method: DescMethod): string => `${method.parent.name}/${method.name}`;
