// What the Node SDK reads and writes by itself, without a library: protobuf of error details, envelopes of streams, names
// and times of JSON. Held to protobuf-es and to chance.
import { create, toBinary } from '@bufbuild/protobuf';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { camel, decode, encode, type Json, parseTime, printTime, snake } from '../../../sdks/node/src/codec.ts';
import { Envelopes, endOfStream, envelope } from '../../../sdks/node/src/envelopes.ts';
import { ApiError, NetworkError, ServerError } from '../../../sdks/node/src/errors.ts';
import { Mismatch } from '../../../sdks/node/src/foreign.ts';
import { shapes } from '../../../sdks/node/src/gen/shapes.ts';
import { readFields, textOf } from '../../../sdks/node/src/protobuf.ts';
import { httpRequest } from '../../../sdks/node/src/request.ts';
import { pauseMs } from '../../../sdks/node/src/retry.ts';
import { BadRequestSchema, ErrorInfoSchema } from '../../../src/gen/google/rpc/error_details_pb.ts';

describe('error details', () => {
  test('are read as protobuf-es writes them', () => {
    const info = fc.record({
      reason: fc.string({ unit: 'grapheme' }),
      domain: fc.string(),
      metadata: fc.dictionary(fc.string(), fc.string({ unit: 'grapheme' })),
    });
    fc.assert(
      fc.property(info, (given) => {
        const fields = readFields(toBinary(ErrorInfoSchema, create(ErrorInfoSchema, given)));
        const entries = fields.filter(({ number }) => number === 3).map(({ bytes }) => readFields(bytes));
        expect(textOf(fields, 1)).toBe(given.reason);
        expect(textOf(fields, 2)).toBe(given.domain);
        expect(new Map(entries.map((entry) => [textOf(entry, 1), textOf(entry, 2)]))).toEqual(
          new Map(Object.entries(given.metadata)),
        );
      }),
    );
  });

  test('have messages inside', () => {
    const fieldViolations = [{ field: 'cascade[0].channel', description: 'x'.repeat(300), reason: 'R' }];
    const [violation] = readFields(toBinary(BadRequestSchema, create(BadRequestSchema, { fieldViolations })));
    expect(textOf(readFields(violation?.bytes ?? new Uint8Array()), 1)).toBe('cascade[0].channel');
  });

  test('that are broken end early, and never throw or hang', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
        for (const { number, bytes: inner } of readFields(bytes)) {
          expect(number).toBeGreaterThanOrEqual(0);
          expect(inner.length).toBeLessThanOrEqual(bytes.length);
        }
      }),
    );
  });
});

describe('envelopes', () => {
  test('are the same however they are cut', () => {
    const messages = fc.array(fc.record({ text: fc.string({ unit: 'grapheme' }) }), { maxLength: 5 });
    fc.assert(
      fc.property(messages, fc.array(fc.nat(40)), (given, cuts) => {
        const bytes = Uint8Array.from(given.flatMap((message) => [...envelope(JSON.stringify(message))]));
        const reader = new Envelopes();
        const found: unknown[] = [];
        let at = 0;
        for (const length of [...cuts, bytes.length]) {
          found.push(...reader.push(bytes.slice(at, at + length)).map(({ json }) => json));
          at += length;
        }
        expect(found).toEqual(given);
      }),
    );
  });

  test('tell the last one, which may be empty', () => {
    expect(new Envelopes().push(Uint8Array.of(endOfStream, 0, 0, 0, 0))).toEqual([{ flags: endOfStream, json: {} }]);
  });

  test.each([
    ['compressed', Uint8Array.of(1, 0, 0, 0, 0)],
    ['larger than any', Uint8Array.of(0, 255, 0, 0, 0)],
    ['not JSON', Uint8Array.of(0, 0, 0, 0, 1, 255)],
  ])('%s are an error', (_, bytes) => {
    expect(() => new Envelopes().push(bytes)).toThrow(ServerError);
  });
});

describe('names', () => {
  test('of every field go there and back', () => {
    for (const name of Object.values(shapes).flatMap(Object.keys)) expect(snake(camel(name))).toBe(name);
  });
});

describe('messages', () => {
  test.each(Object.entries(shapes))('%s is decoded with the types of the contract, or not at all', (shape, fields) => {
    const names = fc.oneof(fc.constantFrom(...Object.keys(fields)), fc.string());
    fc.assert(
      fc.property(fc.dictionary(names, fc.jsonValue()), (given) => {
        let found: Json;
        try {
          found = decode(shape, given);
        } catch (error) {
          expect(error).toBeInstanceOf(Mismatch);
          return;
        }
        for (const [name, kind] of Object.entries(fields)) {
          const value = found[camel(name)];
          if (kind.endsWith('[]')) expect(Array.isArray(value)).toBe(true);
          else if (kind === 'map')
            expect(Object.values(value as object).every((one) => typeof one === 'string')).toBe(true);
          else if (kind === 'time') expect(value === undefined || value instanceof Date).toBe(true);
          else if (/^(string|number|boolean)$/.test(kind)) expect(typeof value).toBe(kind);
        }
      }),
      { numRuns: 50 },
    );
  });

  test('what was decoded is encoded as it was', () => {
    const json = {
      to: '+213550000001',
      code_length: 6,
      cascade: [{ channel: 'sms', timeout_seconds: 5, wings: 2 }],
      autofill: { web_origin: 'a.example', android_app_hash: '' },
      metadata: { cart_id: '8812', cartId: '', ['__proto__']: 'x' },
      brand_new: [1],
    };
    const { channel, sender_id, language, purpose, client_reference, code, ...written } = encode(
      'SendRequest',
      decode('SendRequest', json),
    );
    expect(written).toEqual(json);
    expect([channel, sender_id, language, purpose, client_reference, code]).toEqual(['', '', '', '', '', '']);
  });

  test('times go there and back', () => {
    const date = fc.date({ min: new Date(0), max: new Date('9999-12-31T23:59:59.999Z'), noInvalidDate: true });
    fc.assert(
      fc.property(date, (given) => {
        expect(parseTime(printTime(given))).toEqual(given);
      }),
    );
  });

  test('what is no time is absent', () => {
    for (const wrong of ['', 'yesterday', 0, null, {}, '2026-13-01T00:00:00Z'])
      expect(parseTime(wrong)).toBeUndefined();
  });
});

test('no id leaves its place in the path', () => {
  const operation = {
    verb: 'GET',
    path: '/v1/verify/sessions/{id}',
    rpc: 'ramz.v1.VerifyService/GetSession',
    name: 'verify.get',
    pathFields: ['id'],
    carries: 'nothing',
    idempotencyKey: false,
    repeatable: true,
  } as const;
  // Halves of surrogate pairs, too.
  const text = fc.array(fc.integer({ min: 0, max: 0xffff }), { minLength: 1 });
  fc.assert(
    fc.property(text, (units) => {
      const id = String.fromCharCode(...units);
      fc.pre(id !== '.' && id !== '..');
      const { pathname, search, hash } = new URL(`http://a.example${httpRequest(operation, [id], {}).target}`);
      expect(decodeURIComponent(pathname)).toBe(`/v1/verify/sessions/${id.toWellFormed()}`);
      expect(search + hash).toBe('');
    }),
  );
});

describe('pauses', () => {
  const failed = (status: number, retryAfterSeconds?: number) =>
    new ApiError({ status, code: '', message: '', requestId: '', details: {}, retryAfterSeconds });

  test('grow to eight seconds, and are half of that at least', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 50 }), fc.double({ min: 0, max: 1, noNaN: true }), (repeat, random) => {
        const whole = Math.min(8000, 500 * 2 ** (repeat - 1));
        const pause = pauseMs(new NetworkError('lost'), repeat, true, random) ?? -1;
        expect(pause).toBeGreaterThanOrEqual(whole / 2);
        expect(pause).toBeLessThanOrEqual(whole);
      }),
    );
  });

  test('keep what they are told, up to a minute', () => {
    expect(pauseMs(failed(503, 60), 1, true, 1)).toBe(66_000);
    expect(pauseMs(failed(503, 61), 1, true, 0)).toBeUndefined();
    expect(pauseMs(failed(503, 0), 1, true, 0)).toBe(0);
  });

  test('are not for errors of somebody else', () => {
    expect(pauseMs(new Error('a bug'), 1, true, 0)).toBeUndefined();
    expect(pauseMs(undefined, 1, true, 0)).toBeUndefined();
  });
});
