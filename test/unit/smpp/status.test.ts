import { describe, expect, test } from 'vitest';
import { commandStatus, statusMeaning, statusName } from '../../../src/smpp/status.ts';

describe('what a command_status means', () => {
  test.each([
    [0x00, 'accepted'],
    [0x58, 'throttled'],
    [0x14, 'throttled'],
    [0x08, 'throttled'],
    [0x04, 'temporary'],
    [0x64, 'temporary'],
    [0x0a, 'permanent'],
    [0x0b, 'permanent'],
    [0x45, 'permanent'],
    [0x62, 'permanent'],
    [0x0d, 'bind_failed'],
    [0x0e, 'credentials'],
    [0x0f, 'credentials'],
    [0x05, 'already_bound'],
    [0xff, 'unknown'],
    [0x09, 'unknown'],
    [0x400, 'unknown'],
  ] as const)('status %d', (code, meaning) => {
    expect(statusMeaning(code)).toBe(meaning);
  });
});

test('a status has its name of the specification, or its number', () => {
  expect(statusName(commandStatus.RTHROTTLED)).toBe('ESME_RTHROTTLED');
  expect(statusName(0x401)).toBe('0x00000401');
});
