// The contract as the SDKs show it: resources, their operations under short names, and the messages these need. Every
// language plugin starts from here, so that `verify.send` is `verify.send` everywhere. No language's syntax lives here.

import type { DescField, DescMessage, DescMethod, DescService } from '@bufbuild/protobuf';
import { MethodOptions_IdempotencyLevel } from '@bufbuild/protobuf/wkt';
import { type Contract, comment, type HttpRule, isMask } from './contract.ts';

export interface Resource {
  /** snake_case: `verify`, `accounts`, `api_keys`, `sender_ids`, `webhook_endpoints`, `waba`. */
  name: string;
  description: string;
  service: DescService;
  operations: Operation[];
}

export interface Operation {
  /** snake_case, without the resource's noun: `send`, `get`, `list`, `rotate_secret`. */
  name: string;
  /** The method's comment, as Markdown. */
  description: string;
  method: DescMethod;
  /** `list` answers pages, which SDKs turn into an iterator over `items`; `watch` is a server stream. */
  kind: 'unary' | 'list' | 'watch';
  /** REST binding; none of streams: SDKs follow them by Connect, `POST /<service>/<method>`, and not by the Server-Sent Events of REST. */
  http: HttpRule | undefined;
  /** Fields of the request that stand in the path, in its order: positional arguments where the language has them. */
  pathFields: DescField[];
  /** The other fields but an update mask, in the order of the contract; none of streams, which SDKs continue by themselves. */
  otherFields: DescField[];
  /** What the caller gets: the message of `response_body`, else the whole answer. */
  answer: DescMessage;
  /**
   * Ids in the answer, never empty: its own, and those of the path. Where the request has one, too, the answer's is the same:
   * whoever asks for a session and gets another one must not believe it. In a stream they are those of its session.
   */
  ids: string[];
  /** Of a list: the field with the items. */
  items: DescField | undefined;
  /** It takes an `Idempotency-Key`: made once per call, kept across its retries. */
  idempotencyKey: boolean;
  /** Repeating it does no harm. Others are repeated only where the service refused to take them (`rate_limited`). */
  repeatable: boolean;
  /** Who may call it: `key`, or the admin token (`admin`, `registration`). */
  access: string;
  /** Error codes of its own. */
  errors: string[];
}

export interface Client {
  resources: Resource[];
  /** Every message an SDK needs, requests and the data of webhooks included, each after those it holds; not their envelope. */
  messages: DescMessage[];
}

export function readClient(contract: Contract): Client {
  const resources = contract.services.map((service) => resourceOf(contract, service));
  const seen = new Set<DescMessage>();
  const visit = (message: DescMessage): void => {
    if (seen.has(message) || message.typeName.startsWith('google.protobuf.')) return;
    seen.add(message);
    for (const field of message.fields) if (field.message) visit(field.message);
    // A set remembers the order of insertion: what is held comes first.
    seen.delete(message);
    seen.add(message);
  };
  for (const { operations } of resources)
    for (const { method, answer } of operations)
      for (const message of [method.input, method.output, answer]) visit(message);
  for (const { data } of contract.eventTypes) visit(contract.message(data));
  return { resources, messages: [...seen] };
}

function resourceOf(contract: Contract, service: DescService): Resource {
  const noun = service.name.replace(/Service$/, '');
  return {
    name: isCounted(service, noun) ? `${snake(noun)}s` : snake(noun),
    description: comment(service),
    service,
    operations: service.methods.map((method) => operationOf(contract, noun, method)),
  };
}

/** Resources that one has several of are named in the plural. */
const isCounted = (service: DescService, noun: string): boolean =>
  service.methods.some(({ name }) => name === `Create${noun}` || name === `Erase${noun}`);

function operationOf(contract: Contract, noun: string, method: DescMethod): Operation {
  const rules = contract.methodRules(method);
  const http = method.methodKind === 'unary' ? contract.http(method) : undefined;
  if (!http && method.methodKind === 'unary') throw new Error(`${method.name} has no google.api.http`);
  const inPath = [...(http?.path ?? '').matchAll(/\{(\w+)\}/g)].map(([, name]) => fieldOf(method.input, String(name)));
  const pathFields = method.methodKind === 'unary' ? inPath : method.input.fields.filter(({ name }) => name === 'id');
  const isList = method.output.fields.some(({ name }) => name === 'next_page_token');
  const items = isList ? method.output.fields.find(({ fieldKind }) => fieldKind === 'list') : undefined;
  const wrapped = http?.responseBody ? fieldOf(method.output, http.responseBody).message : undefined;
  const answer = wrapped ?? method.output;
  return {
    name: operationName(noun, method.name),
    description: comment(method),
    method,
    kind: isList ? 'list' : method.methodKind === 'server_streaming' ? 'watch' : 'unary',
    http,
    pathFields,
    otherFields:
      method.methodKind === 'unary'
        ? method.input.fields.filter((field) => !pathFields.includes(field) && !isMask(field))
        : [],
    answer,
    ids: isList ? [] : method.methodKind === 'unary' ? idsOf(answer, pathFields) : pathFields.map(({ name }) => name),
    items,
    idempotencyKey: rules.idempotencyKey,
    repeatable: rules.idempotencyKey || method.idempotency !== MethodOptions_IdempotencyLevel.IDEMPOTENCY_UNKNOWN,
    access: rules.access,
    errors: rules.errors,
  };
}

const idsOf = (answer: DescMessage, pathFields: readonly DescField[]): string[] =>
  answer.fields
    .map(({ name }) => name)
    .filter((name) => name === 'id' || pathFields.some((field) => field.name === name));

/** What a verify service verifies; elsewhere the service is named after what it keeps. */
const nouns: Readonly<Record<string, string>> = { Verify: 'Session' };

/**
 * The method's name without what its resource says already: `ListApiKeys` → `list`, `GetMeasures` → `get_measures`,
 * `ListWebhookDeliveries` of webhook endpoints → `list_deliveries`, `RedeliverWebhook` → `redeliver`.
 */
export function operationName(service: string, method: string): string {
  const [verb = '', ...rest] = words(method);
  const noun = words(nouns[service] ?? service).map((word) => word.replace(/s$/, ''));
  const singular = rest.map((word) => word.replace(/s$/, ''));
  const same = (count: number) => noun.slice(0, count).every((word, index) => singular[index] === word);
  const shared = [noun.length, 1].find((count) => same(count)) ?? 0;
  return [verb, ...rest.slice(shared)].join('_');
}

const words = (name: string): string[] => name.split(/(?=[A-Z])/).map((word) => word.toLowerCase());
export const snake = (name: string): string => words(name).join('_');
/** `sender_id` → `senderId`. */
export const camel = (name: string): string =>
  name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
/** `sender_id` → `SenderId`. */
export const pascal = (name: string): string => camel(`_${name}`);

function fieldOf(message: DescMessage, name: string): DescField {
  const field = message.fields.find((each) => each.name === name);
  if (!field) throw new Error(`${message.typeName} has no field ${name}`);
  return field;
}
