// Requests at the doors: whatever a body, an address or a message holds, it is answered, and never with a fault of ours.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable, Writable } from 'node:stream';
import { create, type DescMethodUnary, fromBinary, type Message, toBinary } from '@bufbuild/protobuf';
import type { ConnectError } from '@connectrpc/connect';
import { createRestHandler } from '../../../src/api/rest/handler.ts';
import { createRouter } from '../../../src/api/rest/router.ts';
import { faultOf } from '../../../src/api/waist/errors.ts';
import { errorCodes } from '../../../src/gen/values.ts';
import type { Random } from '../random.ts';
import { hold, type Target } from '../target.ts';
import { mutateJson } from './json.ts';
import { openWaist } from './waist.ts';

const waist = openWaist();
const handle = createRestHandler(waist);
const { routes } = createRouter(waist.methods);
const withBody = routes.filter(({ verb }) => verb !== 'GET' && verb !== 'DELETE');
const methods = waist.methods.filter(({ methodKind }) => methodKind === 'unary') as DescMethodUnary[];
const headers = { authorization: 'Bearer x', 'content-type': 'application/json' };
const id = 'vrf_01m7z2qd1dfyfb4gzq66hnwmag';
const pathOf = (template: string): string => template.replace(/\{\w+\}/g, id);

async function ask(verb: string, url: string, body: Buffer | null): Promise<void> {
  const length = body === null ? {} : { 'content-length': String(body.length) };
  const stream = Readable.from(body === null ? [] : [body], { objectMode: false });
  const request = Object.assign(stream, { method: verb, url, headers: { ...headers, ...length }, complete: true });
  let status = 0;
  let text = '';
  const written = new Writable({
    write(chunk, _, done) {
      text += chunk;
      done();
    },
  });
  const response = Object.assign(written, {
    headersSent: false,
    setHeader(name: string, value: unknown) {
      hold(!/[\r\n\0]/.test(`${name}${String(value)}`), 'a line break in a header');
    },
    writeHead(code: number) {
      status = code;
      response.headersSent = true;
      return response;
    },
  });
  const origin = waist.newOrigin('rest', '192.0.2.1', undefined);
  await handle(request as unknown as IncomingMessage, response as unknown as ServerResponse, origin);
  hold(status === 200 || status === 204 || (status >= 400 && status < 500), `answered with ${status}: ${text}`);
  if (status < 400) return;
  const { error } = JSON.parse(text) as { error: Record<string, unknown> };
  hold(errorCodes[error.code as keyof typeof errorCodes]?.httpStatus === status, 'code and status do not fit');
  hold(
    typeof error.message === 'string' && error.message !== '' && error.message.length < 1_000,
    'a message for nobody',
  );
  hold(error.request_id === origin.requestId, 'no request id');
}

const fields = [
  ...new Set(methods.flatMap(({ input }) => input.fields.flatMap(({ name, jsonName }) => [name, jsonName]))),
];
const words = [
  ...fields,
  'web_origin',
  'android_app_hash',
  'timeout_seconds',
  'channel',
  '__proto__',
  'sms',
  'whatsapp',
  'voice',
  'ar',
  'fr',
  '+213550000001',
  'receipt.updated',
  'approved',
  'verify',
  'manage',
  id,
  '{',
  '}',
  '[',
  ']',
  ':',
  ',',
  '"',
];
const documents: readonly object[] = [
  {
    to: '+213551234567',
    cascade: [{ channel: 'sms', timeout_seconds: 15 }, { channel: 'voice' }],
    autofill: { web_origin: 'https://shop.example' },
    code_length: 6,
    ttl_seconds: 300,
    language: 'fr',
    purpose: 'login',
    client_reference: 'x',
    metadata: { cart_id: '8812', flow: '' },
  },
  { id, code: '123456' },
  { to: '+213551234567', code: '١٢٣٤٥٦', purpose: '' },
  { name: 'Shop', language: 'ar', cascade: { legs: [{ channel: 'sms' }] }, default_sender_id: 'Shop' },
  { url: 'https://hooks.example/x', event_types: ['receipt.updated'], description: '', enabled: true },
  { name: 'key', scopes: ['verify', 'read'], expires_at: '2027-01-01T00:00:00Z' },
  { operator: 'alpha', status: 'approved', reason: '' },
];
const route = (random: Random): Buffer => Buffer.from([random.below(256)]);

/** First octet: the route; then the body. */
export const rest: Target = {
  name: 'rest',
  weight: 10,
  seeds: documents.flatMap((_, at) =>
    withBody.map((__, which) =>
      Buffer.concat([Buffer.from([which]), Buffer.from(JSON.stringify(documents[(at + which) % documents.length]))]),
    ),
  ),
  dictionary: words,
  generate: (random) =>
    Buffer.concat([
      route(random),
      Buffer.from(JSON.stringify(mutateJson(random.pick(documents), random, words)) ?? ''),
    ]),
  run(input) {
    const { verb, template } = withBody[(input[0] ?? 0) % withBody.length]!;
    return ask(verb, pathOf(template), Buffer.from(input.subarray(1)));
  },
};

/** First octet: the route; then what stands behind the question mark, or in place of the path's variable. */
export const address: Target = {
  name: 'address',
  weight: 4,
  seeds: [
    'page_size=5&page_token=x',
    'to=%2B213551234567&createdAfter=2026-01-01T00:00:00Z',
    'autofill.web_origin=x',
  ].flatMap((query) => routes.map((_, which) => Buffer.from(`${String.fromCharCode(which % 128)}${query}`))),
  dictionary: [...words, '%', '%2B', '%00', '%ff', '&', '=', '.', '/', '..', '%2F', '+', '?'],
  run(input) {
    const { verb, template } = routes[(input[0] ?? 0) % routes.length]!;
    const text = input
      .subarray(1)
      .toString('latin1')
      .replace(/[\s\0]/g, '');
    const url = (input[1] ?? 0) % 4 === 0 ? template.replace(/\{\w+\}/g, () => text) : `${pathOf(template)}?${text}`;
    return ask(verb, url, null);
  },
};

/** First octet: the method; then the message as gRPC and Connect carry it. */
export const grpc: Target = {
  name: 'grpc',
  weight: 8,
  seeds: methods.map(({ input }, which) => {
    const values = Object.fromEntries(
      input.fields
        .filter((field) => field.fieldKind === 'scalar' && field.scalar === 9)
        .map(({ localName }) => [localName, id]),
    );
    return Buffer.concat([Buffer.from([which]), toBinary(input, create(input, values))]);
  }),
  dictionary: [...words, Buffer.from([0x0a, 0x00]), Buffer.from([0x0b]), Buffer.from([0xff, 0xff, 0xff, 0xff, 0x0f])],
  async run(input) {
    const method = methods[(input[0] ?? 0) % methods.length]!;
    let message: Message;
    try {
      message = fromBinary(method.input, input.subarray(1));
    } catch {
      return; // calls.ts says so
    }
    const init = { origin: waist.newOrigin('grpc', '192.0.2.1', undefined), header: new Headers(headers) };
    try {
      await waist.invokeUnary(method, message, init);
    } catch (error) {
      const { code, httpStatus } = faultOf(error as ConnectError);
      hold(httpStatus < 500, `answered with ${code}: ${String((error as Error).cause ?? error)}`);
    }
  },
};
