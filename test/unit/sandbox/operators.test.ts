// The example operators' entries are what the server's configuration takes, and what libphonenumber can route.
import { describe, expect, test } from 'vitest';
import { fileSchema } from '../../../src/config/file.ts';
import { parsePhone } from '../../../src/core/phone.ts';
import {
  SCENARIO_PREFIX,
  sandboxOperatorIds,
  sandboxOperators,
  sandboxProfiles,
} from '../../../src/sandbox/operators.ts';

const ports = { atlas: 2001, sahara: 2002, djurdjura: 2003 };
const noSecrets = { file: () => undefined, variable: () => undefined };

describe('sandboxOperators', () => {
  test('is plain JSON that the configuration file accepts', () => {
    const operators = JSON.parse(JSON.stringify(sandboxOperators(ports)));
    const parsed = fileSchema(noSecrets).safeParse({
      sandbox: true,
      scenario_prefix: SCENARIO_PREFIX,
      operators,
    });
    expect(parsed.error).toBeUndefined();
    expect(operators.map(({ id, binds }: { id: string; binds: [{ port: number }] }) => [id, binds[0].port])).toEqual(
      Object.entries(ports),
    );
  });

  test('host can be another', () => {
    expect(sandboxOperators(ports, { host: '::1' })[0]).toMatchObject({ binds: [{ host: '::1' }] });
  });
});

describe.each(sandboxOperatorIds.map((id) => sandboxProfiles[id]))('$name', ({ prefixes, systemId, password }) => {
  test('any seven digits after a prefix are a valid mobile number', () => {
    for (const prefix of prefixes) {
      for (const digits of ['0000000', '0000001', '1234567', '9999999']) {
        expect(parsePhone(prefix + digits)).toMatchObject({ kind: 'ok', e164: prefix + digits });
      }
    }
  });

  test('its credentials fit SMPP v3.4: 15 and 8 octets', () => {
    expect(systemId.length).toBeLessThanOrEqual(15);
    expect(password.length).toBeLessThanOrEqual(8);
  });
});
