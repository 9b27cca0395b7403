// Texts of clients and operators that are read one by one: numbers, codes, keys, addresses, tokens, times.
import { BlockList, isIP } from 'node:net';
import { readPageToken, writePageToken } from '../../../src/api/handlers/fields.ts';
import { isRfc3339 } from '../../../src/api/rest/input.ts';
import { defaultKeyPrefixes, formatKey, parseKey } from '../../../src/core/accounts/api-key.ts';
import { duplicateMember } from '../../../src/core/duplicate-member.ts';
import { parsePhone } from '../../../src/core/phone.ts';
import { parseKeyRing } from '../../../src/core/secrets/key-ring.ts';
import { parseAutofill } from '../../../src/core/verify/autofill.ts';
import { normaliseCode } from '../../../src/core/verify/code.ts';
import { smsText } from '../../../src/core/verify/text.ts';
import { parseRetryAfter } from '../../../src/core/webhooks/retry.ts';
import { checkUrl } from '../../../src/engine/webhooks/target.ts';
import { keyRing } from '../../unit/config/sources.ts';
import { hold, type Target } from '../target.ts';

const key = formatKey({
  prefix: 'ramz_live_',
  id: 'key_01m7z2qd1dfyfb4gzq66hnwmag',
  secret: '0123456789abcdefghjkmnpqrstvwxyz',
});
const id = 'vrf_01m7z2qd1dfyfb4gzq66hnwmag';
const binding = ['acct_1', 'live', '+213'];
const prefixes = defaultKeyPrefixes;

/** Networks that a webhook must not reach, by another implementation than the service's. */
const inside = { ipv4: new BlockList(), ipv6: new BlockList() };
for (const [network, bits, family] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['224.0.0.0', 3],
  ['::', 3, 'ipv6'],
  ['8000::', 1, 'ipv6'],
  ['4000::', 2, 'ipv6'],
  ['2002:7f00::', 24, 'ipv6'],
] as [string, number, 'ipv6'?][])
  inside[family ?? 'ipv4'].addSubnet(network, bits, family ?? 'ipv4');

/** `::ffff:7f00:1` is 127.0.0.1. */
function unmapped(host: string): string {
  const [, high = '', low = ''] = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(host) ?? [];
  if (high === '') return host;
  const octets = Buffer.from(high.padStart(4, '0') + low.padStart(4, '0'), 'hex');
  return octets.join('.');
}

/** Members of all objects in a value, iteratively: it may be deep. */
function members(value: unknown): number {
  let count = 0;
  const left: unknown[] = [value];
  while (left.length > 0) {
    const next = left.pop();
    if (typeof next !== 'object' || next === null) continue;
    if (!Array.isArray(next)) count += Object.keys(next).length;
    for (const inner of Object.values(next)) left.push(inner);
  }
  return count;
}

const readers: readonly ((text: string) => void)[] = [
  function phone(text) {
    const parsed = parsePhone(text);
    if (parsed.kind !== 'ok') return;
    hold(/^\+[1-9]\d{6,14}$/.test(parsed.e164), `${parsed.e164} is no E.164`);
    const again = parsePhone(parsed.e164);
    hold(again.kind === 'ok' && again.e164 === parsed.e164, 'its own E.164 is another number');
  },
  function code(text) {
    for (const length of [4, 6, 10]) {
      const read = normaliseCode(text, length);
      if (read.kind !== 'ok') continue;
      hold(/^\d+$/.test(read.digits) && read.digits.length === length, 'a code that is none');
      hold(/[\d\u0660-\u0669\u06f0-\u06f9]/.test(text), 'a code out of nothing');
    }
  },
  function autofill(text) {
    for (const asked of [{ webOrigin: text }, { androidAppHash: text }]) {
      const parsed = parseAutofill(asked);
      if (parsed.kind === 'invalid') continue;
      for (const language of ['ar', 'fr', 'en'] as const) {
        const made = smsText({ language, code: '1234567890', brand: 'Ramz', autofill: asked });
        hold(made.kind === 'ok' && made.parts === 1, `what was allowed makes no text: ${JSON.stringify(made)}`);
      }
    }
  },
  function apiKey(text) {
    const parsed = parseKey(text, prefixes);
    if (parsed.kind !== 'ok') return;
    const prefix = parsed.mode === 'live' ? prefixes.livePrefix : prefixes.testPrefix;
    hold(formatKey({ prefix, id: parsed.id, secret: parsed.secret }) === text, 'a key that reads as another');
  },
  function webhookUrl(text) {
    checkUrl(text, { allowPrivate: true });
    if (checkUrl(text, { allowPrivate: false }).kind === 'refused') return;
    const url = new URL(text);
    const host = unmapped(url.hostname.replace(/^\[|\]$/g, ''));
    hold(url.protocol === 'https:', 'not encrypted');
    hold(!/(^|\.)localhost\.?$/i.test(host), 'localhost');
    const family = isIP(host);
    if (family)
      hold(!(family === 4 ? inside.ipv4.check(host) : inside.ipv6.check(host, 'ipv6')), `${host} is not public`);
  },
  function pageToken(text) {
    const read = readPageToken(text, 'vrf_', binding);
    if (read !== null) hold(writePageToken(read, binding) === text, 'two tokens for one page');
  },
  function time(text) {
    if (isRfc3339(text)) hold(Number.isFinite(Date.parse(text)), 'a time that is none');
  },
  function json(text) {
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      return;
    }
    // By counting: a name that JSON.parse dropped is in the text and not in the value.
    const written = [...text.matchAll(/"(?:[^"\\]|\\.)*"(\s*:)?/g)].filter(([, colon]) => colon !== undefined).length;
    const dropped = written > members(value);
    hold((duplicateMember(text) !== undefined) === dropped, 'members given twice and found differ');
  },
  function retryAfter(text) {
    const ms = parseRetryAfter(text, Date.UTC(2026, 0, 1));
    hold(ms === undefined || (Number.isFinite(ms) && ms >= 0), `wait ${ms} ms`);
  },
  function ring(text) {
    parseKeyRing(text);
  },
];

const samples = [
  '+213550000001',
  '+213 55 00-00.001',
  '00213550000001',
  '+1 650 253 0000',
  '+٢١٣٥٥',
  '123 456',
  '١٢٣٤٥٦',
  '۱۲۳-۴۵۶',
  '\u200e123456\u200e',
  'https://shop.example',
  'shop.example',
  'xn--80ak6aa92e.com',
  'FA+9qCX9VSu',
  key,
  key.replace('live', 'test'),
  'https://hooks.example/ramz?x=1',
  'https://10.0.0.1/',
  'https://[::ffff:7f00:1]/',
  'https://0x7f.1/',
  'https://1.1.1.1:8443/',
  writePageToken(id, binding),
  '2026-03-01T10:15:30.5+01:00',
  'Wed, 21 Oct 2026 07:28:00 GMT',
  '120',
  keyRing,
  '{"to":"+1","\\u0074o":"\\"","a":[{"b":1},{"b":2}]}',
  '{"a":{"a":"a"},"a":[[]]}',
];
const parts = [
  '+',
  '213',
  '55',
  '00',
  ' ',
  '-',
  '\u00a0',
  '\u0660',
  '\u06f9',
  '\u202e',
  '０',
  '①',
  '\0',
  '\ud83d\ude00',
  'https://',
  'http://',
  '@',
  '[::1]',
  '127.0.0.1',
  '0177.0.0.1',
  '2130706433',
  '。',
  '%00',
  '%2e',
  '.local',
  ':0',
  '#',
  '?',
  '64:ff9b::',
  '::ffff:',
  'fe80::1',
  'ramz_live_',
  'ramz_test_',
  '_',
  'e0',
  'Infinity',
  '-1',
  '9'.repeat(30),
  'T',
  'Z',
  '"',
  '\\"',
  '\\u0022',
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  '"a":1',
  '{"a":1,"a":1}',
];

/** Read by every reader: what is a number to one is nonsense to the others, and nonsense is what they are tested with. */
export const wordsTarget: Target = {
  name: 'words',
  weight: 20,
  seeds: samples.map((sample) => Buffer.from(sample)),
  dictionary: parts,
  run(input) {
    const text = input.toString('utf8');
    for (const read of readers) read(text);
  },
};
