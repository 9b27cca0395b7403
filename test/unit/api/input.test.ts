// The walk over untrusted JSON: whatever comes, it ends in a message or in an error with a name.

import { create, toJson } from '@bufbuild/protobuf';
import { ConnectError } from '@connectrpc/connect';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isRfc3339, jsonFromQuery, messageFromJson } from '../../../src/api/rest/input.ts';
import { faultOf } from '../../../src/api/waist/errors.ts';
import { ListSessionsRequestSchema, SendRequestSchema } from '../../../src/gen/ramz/v1/verify_pb.ts';

const names = [
  'to',
  'channel',
  'cascade',
  'code_length',
  'codeLength',
  'autofill',
  'web_origin',
  'timeout_seconds',
  'x',
];

describe('messageFromJson', () => {
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom<unknown>(null, true, 0, 6, -1, 1.5, 2 ** 40, '', '+1', '6', 'ünï'),
      fc.array(tie('tree'), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom(...names), tie('tree'), { maxKeys: 4 }),
    ),
  }));

  test('any JSON becomes a message, or an error that names a field where there is one', () => {
    fc.assert(
      fc.property(tree, (json) => {
        try {
          expect(messageFromJson(SendRequestSchema, json).$typeName).toBe('ramz.v1.SendRequest');
        } catch (error) {
          expect(error).toBeInstanceOf(ConnectError);
          const { code, field } = faultOf(error as ConnectError);
          expect(['unknown_field', 'invalid_argument', 'malformed_request']).toContain(code);
          // The walk finds everything: the JSON reader behind it never has to refuse.
          if (code !== 'malformed_request') expect(field).toBeDefined();
        }
      }),
      { numRuns: 500 },
    );
  });

  test('text with half of a surrogate pair is refused by its path', () => {
    expect.assertions(1);
    try {
      messageFromJson(SendRequestSchema, { to: '+213550000001', cascade: [{ channel: '\ud800' }] });
    } catch (error) {
      expect(faultOf(error as ConnectError)).toMatchObject({ code: 'invalid_argument', field: 'cascade[0].channel' });
    }
  });

  test('what is well-formed survives as it is', () => {
    fc.assert(
      fc.property(
        fc.record({
          to: fc.string(),
          purpose: fc.string(),
          codeLength: fc.integer({ min: -(2 ** 31) + 1, max: 2 ** 31 - 1 }),
          cascade: fc.array(fc.record({ channel: fc.string(), timeoutSeconds: fc.nat({ max: 1e6 }) }), {
            maxLength: 3,
          }),
        }),
        (fields) => {
          const message = create(SendRequestSchema, fields);
          for (const useProtoFieldName of [true, false]) {
            expect(
              messageFromJson(SendRequestSchema, toJson(SendRequestSchema, message, { useProtoFieldName })),
            ).toEqual(message);
          }
        },
      ),
      { numRuns: 100 },
    );
  });
});

describe('jsonFromQuery', () => {
  test('types follow the field', () => {
    expect(jsonFromQuery(ListSessionsRequestSchema, 'page_size=5&createdAfter=2026-03-01T00:00:00Z&to=%2B1')).toEqual({
      page_size: 5,
      created_after: '2026-03-01T00:00:00Z',
      to: '+1',
    });
  });

  test('a parameter that is a field of a field', () => {
    expect(jsonFromQuery(SendRequestSchema, 'autofill.web_origin=shop.example')).toEqual({
      autofill: { web_origin: 'shop.example' },
    });
    expect(() => jsonFromQuery(SendRequestSchema, 'to.x=1')).toThrow(/no query parameter to.x/);
  });

  const faultIn = (query: string) => {
    try {
      return jsonFromQuery(SendRequestSchema, query);
    } catch (error) {
      const { code, field } = faultOf(error as ConnectError);
      return { code, field };
    }
  };

  test.each([
    ['autofill=x&autofill.web_origin=shop.example', 'autofill'],
    ['autofill.web_origin=shop.example&autofill=x', 'autofill'],
    ['autofill.webOrigin=shop.example&autofill.web_origin=shop.example', 'autofill.web_origin'],
    ['codeLength=6&code_length=6', 'code_length'],
  ])('%s gives a field twice', (query, field) => expect(faultIn(query)).toEqual({ code: 'invalid_argument', field }));

  test('a name that is cut within a character is well formed', () => {
    const name = encodeURIComponent(`${'x'.repeat(59)}😀y`);
    expect(faultIn(`${name}=1`)).toEqual({ code: 'unknown_field', field: `${'x'.repeat(59)}\ufffd…` });
  });

  test('a time has no parts', () => {
    for (const query of ['created_after.seconds=1', 'created_after=2026-01-01T00:00:00Z&created_after.seconds=1']) {
      expect(() => jsonFromQuery(ListSessionsRequestSchema, query)).toThrow(
        'there is no query parameter created_after.seconds',
      );
    }
  });

  test('any query becomes a message, or an error that names a parameter', () => {
    const name = fc
      .array(fc.constantFrom('autofill', 'web_origin', 'to', 'cascade', '__proto__'), {
        minLength: 1,
        maxLength: 3,
      })
      .map((parts) => parts.join('.'));
    fc.assert(
      fc.property(fc.array(fc.tuple(name, fc.constantFrom('', '6', 'x')), { maxLength: 4 }), (pairs) => {
        try {
          messageFromJson(SendRequestSchema, jsonFromQuery(SendRequestSchema, new URLSearchParams(pairs).toString()));
        } catch (error) {
          expect(error).toBeInstanceOf(ConnectError);
          expect(['invalid_argument', 'unknown_field']).toContain(faultOf(error as ConnectError).code);
          expect(faultOf(error as ConnectError).field).toBeDefined();
        }
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('isRfc3339', () => {
  test.each([
    '2026-03-01T10:15:30Z',
    '2026-03-01T10:15:30.123456789+01:00',
    '2024-02-29T00:00:00Z',
    '0001-01-01T00:00:00Z',
    '0001-01-01T00:00:00-01:00',
    '9999-12-31T23:59:59.999999999Z',
    '9999-12-31T23:59:59+01:00',
  ])('%s is a time', (text) => expect(isRfc3339(text)).toBe(true));

  test.each([
    '',
    '2026-03-01',
    '2026-02-29T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '2026-03-01T24:00:00Z',
    '2026-03-01T10:15:30',
    '2026-03-01 10:15:30Z',
    '0000-01-01T00:00:00Z',
    '2026-03-01T10:15:30+99:00',
    '9999-12-31T23:59:59-01:00',
    '0001-01-01T00:00:00+01:00',
  ])('%s is none', (text) => expect(isRfc3339(text)).toBe(false));
});
