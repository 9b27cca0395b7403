// What must hold in the contract itself, beyond what buf lints.

import { readFileSync } from 'node:fs';
import { type DescField, type DescMessage, fromJson, getOption, ScalarType, toBinary } from '@bufbuild/protobuf';
import { FieldDescriptorProtoSchema, MethodOptions_IdempotencyLevel } from '@bufbuild/protobuf/wkt';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createRouter } from '../../../src/api/rest/router.ts';
import { loggedField } from '../../../src/api/waist/interceptors/observe.ts';
import { fieldRules, httpRule, methodRules } from '../../../src/api/waist/method-options.ts';
import { violationIn } from '../../../src/api/waist/validate.ts';
import { isSenderName } from '../../../src/core/accounts/sender-name.ts';
import { file_ramz_v1_events } from '../../../src/gen/ramz/v1/events_pb.ts';
import { DryRunRequestSchema } from '../../../src/gen/ramz/v1/limits_pb.ts';
import { event_types, method as methodOption } from '../../../src/gen/ramz/v1/options_pb.ts';
import { file_ramz_v1_receipt } from '../../../src/gen/ramz/v1/receipt_pb.ts';
import { CreateSenderIdRequestSchema } from '../../../src/gen/ramz/v1/sender_pb.ts';
import { SessionSchema, SessionSummarySchema } from '../../../src/gen/ramz/v1/session_pb.ts';
import { SendRequestSchema } from '../../../src/gen/ramz/v1/verify_pb.ts';
import { ConnectWabaRequestSchema } from '../../../src/gen/ramz/v1/waba_pb.ts';
import { file_ramz_v1_webhook, WebhookEventSchema } from '../../../src/gen/ramz/v1/webhook_pb.ts';
import { errorCodes, eventTypeValues, valueSets } from '../../../src/gen/values.ts';
import { allMethods } from '../../support/methods.ts';

const methods = await allMethods();
const files = methods.map(({ parent }) => parent.file);
const messages = [...new Set([...files, file_ramz_v1_receipt, file_ramz_v1_webhook])].flatMap((file) => file.messages);
const fields: [string, DescField][] = messages.flatMap((message) =>
  message.fields.map((field): [string, DescField] => [`${message.name}.${field.name}`, field]),
);

describe('methods', () => {
  test.each(methods.map((method) => [method.name, method] as const))(
    '%s says who may call it and what it answers',
    (_, method) => {
      expect(() => methodRules(method)).not.toThrow();
      for (const code of getOption(method, methodOption).errors) expect(errorCodes).toHaveProperty(code);
    },
  );

  test.each(methods.map((method) => [method.name, getOption(method, methodOption).title] as const))(
    '%s has a short imperative title: %s',
    (_, title) => {
      expect(title).toMatch(/^[A-Z][a-z]+ [A-Za-z ]+$/);
      expect(title.length).toBeLessThanOrEqual(40);
      // `Sends a code` tells what a method does, `Send a code` what a reader can do with it.
      expect(title).not.toMatch(/^\w+[^s]s /);
    },
  );

  test('every one has a route', () => {
    const without = methods.filter((method) => !httpRule(method)).map(({ name }) => name);
    expect(without).toEqual([]);
    expect(() => createRouter(methods)).not.toThrow();
  });

  test('an Idempotency-Key is taken by send and check', () => {
    const taking = methods.filter((method) => methodRules(method).idempotencyKey).map(({ name }) => name);
    expect(taking).toEqual(['Send', 'Check']);
  });

  test('what is asked by GET has no side effects, and nothing else is said to have none', () => {
    const harmless = methods.filter(
      ({ idempotency }) => idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS,
    );
    const byGet = methods.filter((method) => httpRule(method)?.pattern.case === 'get');
    expect(byGet.length).toBeGreaterThan(20);
    expect(byGet.filter((method) => !harmless.includes(method)).map(({ name }) => name)).toEqual([]);
    expect(harmless.filter((method) => !byGet.includes(method)).map(({ name }) => name)).toEqual([]);
  });

  test('what only reads needs no more than the scope read; the audit log is for those who may change things', () => {
    const reading = methods.filter(
      (method) => httpRule(method)?.pattern.case === 'get' && methodRules(method).access === 'key',
    );
    const others = reading.filter((method) => methodRules(method).scope !== 'read');
    expect(others.map(({ name }) => name)).toEqual(['ListAuditEvents']);
  });
});

describe('fields', () => {
  test.each(fields)('%s', (_, field) => {
    const rules = fieldRules(field);
    if (rules?.values) expect(valueSets).toHaveProperty(rules.values);
    if (rules?.errorCode) expect(errorCodes).toHaveProperty(rules.errorCode);
    if (rules?.pattern) expect(() => new RegExp(rules.pattern, 'u')).not.toThrow();
    if (rules?.needs) expect(field.parent.fields.map(({ name }) => name)).toContain(rules.needs);
    const scalar = field.fieldKind === 'scalar' || field.fieldKind === 'list' ? field.scalar : undefined;
    // 64-bit numbers are strings in JSON, and words are strings so that clients meet new ones unharmed.
    if (scalar) expect([ScalarType.STRING, ScalarType.BOOL, ScalarType.INT32, ScalarType.DOUBLE]).toContain(scalar);
    expect(field.fieldKind).not.toBe('enum');
  });

  test('a session in a list has every field of a session but its messages and its timeline', () => {
    // The entries of a map are a message of each one's own.
    const declared = ({ fields }: DescMessage) =>
      fields.map(({ proto, fieldKind }) =>
        toBinary(FieldDescriptorProtoSchema, fieldKind === 'map' ? { ...proto, typeName: '' } : proto),
      );
    const story = ['messages', 'timeline'];
    const plain = { ...SessionSchema, fields: SessionSchema.fields.filter(({ name }) => !story.includes(name)) };
    expect(declared(SessionSummarySchema)).toEqual(declared(plain as DescMessage));
  });

  test('every text of a request has a longest form', () => {
    const open = requests().flatMap((message) =>
      message.fields
        .filter((field) => ['scalar', 'map'].includes(field.fieldKind) && field.scalar === ScalarType.STRING)
        .filter((field) => {
          const rules = fieldRules(field);
          if (field.fieldKind === 'map' && (!rules?.maxItems || !rules.keyPattern)) return true;
          return !rules?.maxLength && !rules?.values && !rules?.pattern;
        })
        .map((field) => `${message.name}.${field.name}`),
    );
    expect(open).toEqual([]);
  });

  test('what a caller calls the entries of a map is in no log', () => {
    const messages = requests().filter(({ fields }) => fields.some(({ fieldKind }) => fieldKind === 'map'));
    expect(messages.length).toBeGreaterThan(0);
    for (const message of messages) {
      for (const { name } of message.fields.filter(({ fieldKind }) => fieldKind === 'map'))
        expect(loggedField(message, `${name}.a\nb.c`)).toBe(name);
    }
  });

  test.each([
    ['cascade[1].timeout_seconds', 'cascade[1].timeout_seconds'],
    ['to', 'to'],
    ['482913', undefined],
    ['482913.to', undefined],
    ['cascade[0].482913', 'cascade[0]'],
    ['cascade[482913]', undefined],
    ['autofill.web_origin.+213550123456', 'autofill.web_origin'],
    ['to.metadata', 'to'],
    ['', undefined],
  ])('of the field %j a log shows %j', (field, logged) => expect(loggedField(SendRequestSchema, field)).toBe(logged));

  test('a dry run takes what a send takes', () => {
    const of = ({ fields }: DescMessage) =>
      fields.map((field) => [field.number, field.name, fieldRules(field), field.message?.typeName ?? field.scalar]);
    expect(of(DryRunRequestSchema)).toEqual(of(SendRequestSchema));
  });

  test('every list has pages of the same size', () => {
    const pages = requests().flatMap(({ fields }) => fields.filter(({ name }) => name === 'page_size'));
    expect(new Set(pages.map((field) => fieldRules(field)?.default))).toEqual(new Set(['20']));
  });

  test('a field that another one needs must be given with it', () => {
    const ids = { wabaId: '104200000000001', phoneNumberId: '109300000000002' };
    const of = (fields: object) =>
      violationIn(ConnectWabaRequestSchema, fromJson(ConnectWabaRequestSchema, { ...ids, ...fields }));
    expect(of({ code: 'AQB' })).toMatchObject({ field: 'state', message: 'state is required with code' });
    expect(of({ code: 'AQB', state: 'J1w' })).toBeUndefined();
    expect(of({ accessToken: 'EAA' })).toBeUndefined();
  });

  test('the pattern of a sender name is the rule that core holds', () => {
    const field = CreateSenderIdRequestSchema.fields.find(({ name }) => name === 'name') as DescField;
    const pattern = new RegExp(fieldRules(field)?.pattern ?? '', 'u');
    const names = fc.string({ unit: fc.constantFrom(...'aZ09 .&-_!'), minLength: 1, maxLength: 11 });
    fc.assert(fc.property(names, (name) => pattern.test(name) === isSenderName(name)));
  });

  test('every example of a request passes its own rules', () => {
    for (const message of requests()) {
      for (const field of message.fields) {
        const example = fieldRules(field)?.example;
        if (!example || !['scalar', 'map'].includes(field.fieldKind)) continue;
        const isText = field.fieldKind === 'scalar' && field.scalar === ScalarType.STRING;
        const value = isText ? example : JSON.parse(example);
        const violation = violationIn(message, fromJson(message, { [field.name]: value }));
        expect(violation?.field === field.name ? violation.message : undefined).toBeUndefined();
      }
    }
  });
});

describe('events', () => {
  const types = getOption(file_ramz_v1_events, event_types);

  test('each has a payload', () => {
    expect(types.map(({ name }) => name)).toEqual(eventTypeValues);
    const known = messages.map(({ typeName }) => typeName);
    for (const { data } of types) expect(known).toContain(data);
    const members = WebhookEventSchema.oneofs.flatMap((oneof) => oneof.fields.map(({ message }) => message?.typeName));
    expect(members.toSorted()).toEqual([...new Set(types.map(({ data }) => data))].toSorted());
  });
});

describe('openapi.json', () => {
  const text = readFileSync(new URL('../../../src/gen/openapi.json', import.meta.url), 'utf8');
  const document = JSON.parse(text) as {
    paths: Record<string, Record<string, { operationId: string; summary: string }>>;
    webhooks: object;
    components: Record<string, Record<string, unknown>>;
  };
  /** Every object below a node. */
  const objectsIn = (node: unknown): Record<string, unknown>[] =>
    node === null || typeof node !== 'object'
      ? []
      : [node as Record<string, unknown>, ...Object.values(node).flatMap(objectsIn)];
  const schemas = Object.entries(document.components.schemas ?? {}) as [string, Record<string, unknown>][];

  test('what a description says of a default, the schema says to programs', () => {
    // `Default 20.`, `Default \`ar\`.`, `6 by default`; with a colon it depends on more than the deployment.
    const said = /\bDefault (?:\d|`)|\bby default\b/;
    const silent = objectsIn([document.paths, schemas.filter(([name]) => /(Request|Input)$/.test(name))])
      .filter(({ description, type, schema }) => said.test(String(description)) && (type ?? schema) !== undefined)
      .filter(
        (field) => !objectsIn(field).some((each) => ['default', 'x-default', 'x-setting'].some((key) => key in each)),
      )
      .map(({ description }) => description);
    expect(silent).toEqual([]);
  });

  test('every body is a schema with a name, and every value set is one', () => {
    const bodies = objectsIn(document.paths).flatMap(({ requestBody }) => (requestBody ? [requestBody] : []));
    const unnamed = bodies.flatMap(objectsIn).filter(({ schema }) => schema && !('$ref' in (schema as object)));
    expect(unnamed).toEqual([]);
    const sets = schemas.filter(([, schema]) => 'enum' in schema || 'x-extensible-enum' in schema);
    expect(sets.map(([name]) => name)).toEqual(expect.arrayContaining(['Channel', 'ChannelInput', 'SessionStatus']));
    // The type of an event is a constant in it.
    const inline = objectsIn(document.components.schemas).filter(
      (each) => 'enum' in each && (each.enum as []).length > 1,
    );
    expect(inline).toHaveLength(sets.filter(([, schema]) => 'enum' in schema).length);
  });

  test('examples have secrets only where a call makes them', () => {
    const operations = Object.values(document.paths).flatMap((route) => Object.values(route));
    // A hint such as `ramz_admin_…p7rz` goes on after the dots.
    const making = operations.filter((operation) =>
      objectsIn(operation).some((each) =>
        Object.values(each).some((value) => typeof value === 'string' && /^(ramz_[a-z]+|whsec)_…$/.test(value)),
      ),
    );
    expect(making.map(({ operationId }) => operationId).sort()).toEqual([
      'createAccount',
      'createAdministrator',
      'createApiKey',
      'createWebhookEndpoint',
      'rotateWebhookSecret',
    ]);
  });

  test('values of responses are open, those of requests are not', () => {
    for (const [name, schema] of schemas) expect('enum' in schema && !name.endsWith('Input'), name).toBe(false);
  });

  test('every reference leads somewhere', () => {
    for (const [, kind = '', name = ''] of text.matchAll(/"#\/components\/(\w+)\/([^"]+)"/g)) {
      expect(document.components[kind]).toHaveProperty([name]);
    }
  });

  test('every route and event is in it, each operation under a name of its own', () => {
    const operations = Object.values(document.paths).flatMap((verbs) => Object.values(verbs));
    expect(operations).toHaveLength(methods.length);
    expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length);
    expect(Object.keys(document.webhooks)).toEqual([...eventTypeValues]);
    const titles = methods.filter((method) => httpRule(method)).map((method) => getOption(method, methodOption).title);
    expect(operations.map(({ summary }) => summary).sort()).toEqual(titles.sort());
  });
});

function requests(): DescMessage[] {
  const found = new Set<DescMessage>();
  const add = (message: DescMessage): void => {
    if (found.has(message) || !message.typeName.startsWith('ramz.')) return;
    found.add(message);
    for (const field of message.fields) if (field.message) add(field.message);
  };
  for (const { input } of methods) add(input);
  return [...found];
}
