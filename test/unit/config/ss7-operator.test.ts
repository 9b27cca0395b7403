// The operator entry that comes with the SS7 gateway: a file of settings takes it as it is, and it has words for every error that the
// gateway reports.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { root } from '../../../scripts/run.ts';
import { config } from './sources.ts';

const read = (name: string) => readFileSync(join(root, 'gateways', 'ss7', name), 'utf8');
const [operator] = config({ operators: [JSON.parse(read('operator.json'))] }, { SS7_PASSWORD: 'secret' }).operators;

it('is valid, and reads receipts as the gateway writes them', () => {
  expect(operator).toMatchObject({
    id: 'ss7',
    binds: [{ port: 2776, systemId: 'ramz', password: 'secret', count: 2 }],
    messageId: { rule: 'same' },
    timeZone: 'UTC',
    defaultAlphabet: 'gsm7',
    dataCoding: { gsm: 0, ucs2: 8 },
  });
});

it('names every error of MAP as the gateway does, and what is none', () => {
  const source = read('src/main/java/ramz/ss7/network/MapErrors.java');
  const constants = new Map(
    [...source.matchAll(/int (\w+) = (\d+);/g)].map(([, name = '', code = '']) => [name, code]),
  );
  const named = [...source.matchAll(/Map\.entry\((\w+), "([^"]+)"\)/g)].map(([, code = '', name]) => [
    (constants.get(code) ?? code).padStart(3, '0'),
    name,
  ]);
  expect(named.length).toBeGreaterThan(10);
  expect(operator?.errorCodes).toMatchObject(Object.fromEntries(named));
  const others = read('src/main/java/ramz/ss7/delivery/Outcome.java').matchAll(/"([09]\d\d)"/g);
  expect(Object.keys(operator?.errorCodes ?? {})).toEqual(expect.arrayContaining([...others].map(([, code]) => code)));
});
