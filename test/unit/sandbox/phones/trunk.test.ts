// Which number was dialed and who calls, in all the forms of trunks; the settings that fit the sandbox's trunk.
import { expect, test } from 'vitest';
import { crosscheck } from '../../../../src/config/crosscheck.ts';
import { fileSchema } from '../../../../src/config/file.ts';
import { parsePhone } from '../../../../src/core/phone.ts';
import { sandboxOperators } from '../../../../src/sandbox/operators.ts';
import { callerOf, dialedNumber, sandboxVoice } from '../../../../src/sandbox/phones/trunk.ts';

test.each([
  ['sip:+213551234567@192.0.2.1:5060', '+213551234567'],
  ['sip:+213551234567;npdi@192.0.2.1;user=phone', '+213551234567'],
  ['sips:%2B213551234567@192.0.2.1', '+213551234567'],
  ['sip:00213551234567@192.0.2.1', '+213551234567'],
  ['sip:0551234567@192.0.2.1', '+213551234567'],
  ['sip:213551234567@192.0.2.1', '+213551234567'],
  ['tel:+213-551-23-45-67', '+213551234567'],
  ['sip:192.0.2.1', null],
  ['sip:operator@192.0.2.1', null],
  ['sip:17@192.0.2.1', null],
])('%s dials %s', (uri, number) => {
  expect(dialedNumber(uri)).toBe(number);
});

test.each([
  ['sip:+213210000000@192.0.2.1', '+213210000000'],
  ['sip:021000000@192.0.2.1', '+21321000000'],
  ['sip:Shop@192.0.2.1', 'Shop'],
  ['sip:anonymous@anonymous.invalid', 'anonymous'],
])('%s is shown as %s', (uri, shown) => {
  expect(callerOf(uri)).toBe(shown);
});

test('the section of a configuration is plain JSON that a server takes without a complaint', () => {
  const credentials = { username: 'ramz', password: 'secret' };
  const at = { host: '127.0.0.1', port: 5060, credentials, prefixes: ['+21355'] };
  const voice = JSON.parse(JSON.stringify(sandboxVoice(at)));
  const operators = sandboxOperators({ atlas: 2001, sahara: 2002, djurdjura: 2003 });
  const file = fileSchema({ file: () => undefined, variable: () => undefined }).parse({ operators, voice });
  expect(file.voice?.trunks).toMatchObject([
    { address: '127.0.0.1:5060', username: 'ramz', password: 'secret', prefixes: ['+21355'] },
  ]);
  expect(crosscheck(file, Date.now())).toEqual({ errors: [], warnings: [] });
  // A number of Algiers.
  expect(parsePhone(file.voice?.trunks[0]?.callerId ?? '')).toMatchObject({ reason: 'not_mobile' });
  expect(sandboxVoice({ ...at, credentials: null }).trunks).not.toHaveProperty('0.username');
});
