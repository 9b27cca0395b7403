// The contract as a plugin sees it: services, value sets, and the options of options.proto, read by name from the
// descriptors that buf hands over. Does not import src/gen, which is made from the same descriptors.

import {
  createFileRegistry,
  type DescExtension,
  type DescField,
  type DescFile,
  type DescMessage,
  type DescMethod,
  type DescOneof,
  type DescService,
  type FileRegistry,
  getOption,
  hasOption,
} from '@bufbuild/protobuf';
import type { CodeGeneratorRequest } from '@bufbuild/protobuf/wkt';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { getComments } from '@bufbuild/protoplugin';

export interface Value {
  name: string;
  description: string;
}
export interface ValueSet extends Value {
  values: Value[];
}
export interface EventType extends Value {
  data: string;
}
export interface ErrorCode extends Value {
  httpStatus: number;
  grpcCode: string;
  /** The same call may succeed after a short wait. */
  retry: boolean;
  /** Members that the error has beside those of every error. */
  details: ErrorDetail[];
}
export interface ErrorDetail extends Value {
  example: string;
}
export interface FieldRules {
  required: boolean;
  pattern: string;
  patternHint: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
  values: string;
  unique: boolean;
  /** Of the keys of a map. */
  keyPattern: string;
  example: string;
  errorCode: string;
  /** Bodies of webhooks have no such field. */
  leftOutOfWebhooks: boolean;
  /** A response always has the field, although its type could be absent. */
  always: boolean;
  /** Setting of the deployment that gives the bounds and the default; empty: none does. */
  setting: string;
  /** Value that is used if the field is not given, as JSON or bare text; empty: there is none that always holds. */
  default: string;
  /** Field that must be given if this one is; empty: none. */
  needs: string;
  /** A string has no line breaks, control characters and direction marks. */
  oneLine: boolean;
}
/** Fields that exclude each other: a oneof. */
export interface Group {
  fields: string[];
  /** One of them must be given. */
  required: boolean;
}
export interface MethodRules {
  access: string;
  /** Of an API key. */
  scope: string;
  /** Of an administrator. */
  adminScope: string;
  idempotencyKey: boolean;
  errors: string[];
  /** `Send a code`; empty where the contract has none yet. */
  title: string;
}
export interface HttpRule {
  verb: 'get' | 'put' | 'post' | 'delete' | 'patch';
  path: string;
  body: string;
  responseBody: string;
}

export interface Contract {
  services: DescService[];
  valueSets: ValueSet[];
  eventTypes: EventType[];
  errorCodes: ErrorCode[];
  message(name: string): DescMessage;
  /** The envelope of webhook events. On the wire its oneof `data` is one object under that name, of the message that the type says. */
  envelope(): { message: DescMessage; fields: DescField[] };
  rules(field: DescField): FieldRules | undefined;
  groups(message: DescMessage): Group[];
  methodRules(method: DescMethod): MethodRules;
  http(method: DescMethod): HttpRule | undefined;
}

/** Reads the contract out of a request of buf. Throws when a rule names a value set or an error code that is nowhere declared. */
export function readContract(request: CodeGeneratorRequest): Contract {
  const registry = createFileRegistry({
    $typeName: FileDescriptorSetSchema.typeName,
    // Not `protoFile`: the files to generate come without source-only options there.
    file: request.protoFile.map((file) => request.sourceFileDescriptors.find((own) => own.name === file.name) ?? file),
  });
  const files = request.fileToGenerate
    .map((name) => registry.getFile(name))
    .filter((file): file is DescFile => file !== undefined)
    .filter((file) => file.proto.package.startsWith('ramz.'));
  const options = reader(registry);
  const eventTypes = files.flatMap((file) => options.list<EventType>(file, 'ramz.v1.event_types'));
  const errorCodes = files.flatMap((file) => options.list<ErrorCode>(file, 'ramz.v1.error_codes'));
  const message = (name: string): DescMessage => {
    const found = registry.getMessage(name);
    if (!found) throw new Error(`no message ${name}`);
    return found;
  };
  return {
    services: files.flatMap((file) => file.services).sort(byImportance),
    eventTypes,
    errorCodes,
    valueSets: [
      ...files.flatMap((file) => options.list<ValueSet>(file, 'ramz.v1.value_sets')),
      { name: 'event_type', description: 'What a webhook tells.', values: eventTypes },
      { name: 'error_code', description: 'Why a call was refused.', values: errorCodes },
    ],
    message,
    envelope: () => {
      const envelope = message('ramz.v1.WebhookEvent');
      return { message: envelope, fields: envelope.fields.filter(({ oneof }) => !oneof) };
    },
    rules: (field) => options.one<FieldRules>(field, 'ramz.v1.rules'),
    groups: (message) =>
      message.oneofs.map((oneof) => ({
        fields: oneof.fields.map(({ name }) => name),
        required: options.one<boolean>(oneof, 'ramz.v1.required') ?? false,
      })),
    methodRules: (method) => {
      const rules = options.one<MethodRules>(method, 'ramz.v1.method');
      if (!rules) throw new Error(`${method.parent.typeName}.${method.name} says nothing about who may call it`);
      return { ...rules, access: rules.access || 'key' };
    },
    http: (method) => {
      const rule = options.one<RawHttpRule>(method, 'google.api.http');
      if (!rule?.pattern.case) return undefined;
      const { body, responseBody, pattern } = rule;
      return { verb: pattern.case, path: pattern.value, body, responseBody };
    },
  };
}

/** Whether a field that is not given differs from an empty one. */
export const hasPresence = (field: DescField): boolean =>
  field.fieldKind !== 'list' &&
  field.fieldKind !== 'map' &&
  (field.message !== undefined || field.proto.proto3Optional || field.oneof !== undefined);

/** An update mask: where there is JSON, it is made from the keys of the body, so that nobody writes one. */
export const isMask = (field: DescField): boolean => field.message?.typeName === 'google.protobuf.FieldMask';

/**
 * Fields of responses that let whoever reads them act as somebody else, by message. Only the responses that make them hold
 * them, and they are in no log by accident.
 */
const secrets: Readonly<Record<string, readonly string[]>> = {
  Administrator: ['token'],
  ApiKey: ['key'],
  CreateWabaSignupResponse: ['url', 'state'],
  WebhookEndpoint: ['secret'],
};

export const isSecret = (field: DescField): boolean => secrets[field.parent.name]?.includes(field.name) ?? false;

/** The comment in front of a declaration, as one Markdown text: lines joined, blank lines kept. */
export function comment(desc: Parameters<typeof getComments>[0]): string {
  const text = getComments(desc).leading ?? '';
  return text
    .split(/\n\s*\n/)
    .map((paragraph) =>
      paragraph
        .split('\n')
        .map((line) => line.trim())
        .join(' ')
        .trim(),
    )
    .join('\n\n');
}

interface RawHttpRule {
  pattern: { case: HttpRule['verb']; value: string };
  body: string;
  responseBody: string;
}

type Owner = DescFile | DescMessage | DescField | DescMethod | DescOneof;

function reader(registry: FileRegistry) {
  const find = (name: string): DescExtension => {
    const extension = registry.getExtension(name);
    if (!extension) throw new Error(`no option ${name}`);
    return extension;
  };
  // The extension comes from a registry, so its type is not known here; the interfaces above say what it is.
  const read = (owner: Owner, name: string): unknown => {
    const extension = find(name) as Parameters<typeof getOption<DescExtension, Owner>>[1];
    return hasOption(owner, extension) ? getOption(owner, extension) : undefined;
  };
  return {
    one: <T>(owner: Owner, name: string) => read(owner, name) as T | undefined,
    list: <T>(owner: Owner, name: string) => (read(owner, name) ?? []) as T[],
  };
}

/** Readers look for verification first; the rest follows by name. */
function byImportance(a: DescService, b: DescService): number {
  const rank = (service: DescService) => (service.name === 'VerifyService' ? '' : service.name);
  return rank(a) < rank(b) ? -1 : 1;
}
