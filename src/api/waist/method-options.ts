// The options of methods, messages and fields (options.proto), read from the generated descriptors. Each is looked up once, then kept.

import { type DescField, type DescMethod, type DescOneof, getOption, hasOption } from '@bufbuild/protobuf';
import { http } from '../../gen/google/api/annotations_pb.ts';
import type { HttpRule } from '../../gen/google/api/http_pb.ts';
import {
  type FieldRules,
  type MethodRules as MethodOption,
  method as methodOption,
  required,
  rules,
} from '../../gen/ramz/v1/options_pb.ts';
import {
  type Access,
  type AdminScope,
  accessValues,
  adminScopeValues,
  type Scope,
  scopeValues,
} from '../../gen/values.ts';

export interface MethodRules {
  access: Access;
  scope: Scope | undefined;
  /** That an administrator needs, where one calls. */
  adminScope: AdminScope | undefined;
  idempotencyKey: boolean;
}

export const fieldRules = (field: DescField): FieldRules | undefined =>
  hasOption(field, rules) ? getOption(field, rules) : undefined;

/** Whether one of the oneof's fields must be given. */
export const isRequired = (oneof: DescOneof): boolean => hasOption(oneof, required) && getOption(oneof, required);

export const httpRule = (desc: DescMethod): HttpRule | undefined =>
  hasOption(desc, http) ? getOption(desc, http) : undefined;

const known = new WeakMap<DescMethod, MethodRules>();

/** Who may call the method. Throws for a method that does not say: it would be open to anyone. */
export function methodRules(desc: DescMethod): MethodRules {
  let found = known.get(desc);
  if (!found) {
    if (!hasOption(desc, methodOption)) throw new Error(`${methodName(desc)} does not say who may call it`);
    found = readMethod(getOption(desc, methodOption), methodName(desc));
    known.set(desc, found);
  }
  return found;
}

/** `ramz.v1.VerifyService/Send`. */
export const methodName = (desc: DescMethod): string => `${desc.parent.typeName}/${desc.name}`;

function readMethod(option: MethodOption, name: string): MethodRules {
  const access = accessValues.find((value) => value === (option.access || 'key'));
  const scope = scopeValues.find((value) => value === option.scope);
  if (!access) throw new Error(`${name}: no such access: ${option.access}`);
  const adminScope = adminScopeValues.find((value) => value === option.adminScope);
  if (access === 'key' && !scope) throw new Error(`${name}: a key needs a scope`);
  if ((access === 'admin' || access === 'registration') && !adminScope) {
    throw new Error(`${name}: an administrator needs a scope`);
  }
  return { access, scope, adminScope, idempotencyKey: option.idempotencyKey };
}
