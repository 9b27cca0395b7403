// The worked example of docs/webhooks.md must verify, by our own code, by a library, and by the code the page gives.
import { Webhook } from 'standardwebhooks';
import { afterEach, expect, test, vi } from 'vitest';
import { verify } from '../../../src/core/webhooks/signature.ts';
import { read } from './pages.ts';

const page = read('docs/webhooks.md');
const example = (name: string): string => {
  const [, text] = new RegExp(`<!-- example: ${name} -->\\n\\n\`\`\`\\w+\\n([\\s\\S]*?)\\n\`\`\``).exec(page) ?? [];
  if (text === undefined) throw new Error(`no example ${name}`);
  return text;
};

const headers = Object.fromEntries(
  [...example('headers').matchAll(/^([\w-]+): (.+)$/gm)].map((match) => match.slice(1)),
);
const body = example('body');
const secret = /whsec_[A-Za-z0-9+/=]{20,}/.exec(page)?.[0] ?? '';
const at = Number(headers['webhook-timestamp']);

afterEach(() => vi.useRealTimers());

test('the example verifies', () => {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature } = headers;
  const received = { id, timestamp, signature, body, secrets: [secret], nowSeconds: at };
  expect(verify(received)).toEqual({ kind: 'valid' });
  vi.useFakeTimers({ now: at * 1000 });
  expect(new Webhook(secret).verify(body, headers)).toMatchObject({ id, type: 'receipt.updated' });
});

test('the code on the page accepts it, and nothing else', async () => {
  const { isGenuine } = await import(`data:text/javascript,${encodeURIComponent(example('javascript'))}`);
  expect(isGenuine(headers, body, secret, at)).toBe(true);
  expect(isGenuine(headers, Buffer.from(body), secret, at + 299)).toBe(true);
  expect(
    isGenuine({ ...headers, 'webhook-signature': `v1,AAAA ${headers['webhook-signature']}` }, body, secret, at),
  ).toBe(true);
  expect(isGenuine(headers, `${body} `, secret, at)).toBe(false);
  expect(isGenuine(headers, body, `whsec_${'A'.repeat(32)}`, at)).toBe(false);
  expect(isGenuine(headers, body, secret, at + 301)).toBe(false);
  expect(isGenuine({ ...headers, 'webhook-timestamp': 'now' }, body, secret, at)).toBe(false);
  expect(isGenuine({}, body, secret, at)).toBe(false);
});
