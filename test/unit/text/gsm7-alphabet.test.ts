// The GSM 7-bit alphabet: how many characters it has, and what each costs.
import { describe, expect, it } from 'vitest';
import { gsm7Length, isGsm7Basic } from '../../../src/text/gsm7-alphabet.ts';

describe('GSM 7-bit', () => {
  it('knows 127 basic characters and counts the extension twice', () => {
    const all = Array.from({ length: 0x2100 }, (_, code) => String.fromCharCode(code));
    expect(all.filter(isGsm7Basic)).toHaveLength(127);
    expect(all.filter((char) => gsm7Length(char) === 2)).toEqual(['\f', '[', '\\', ']', '^', '{', '|', '}', '~', '€']);
    expect(gsm7Length('a€b')).toBe(4);
    expect(gsm7Length('')).toBe(0);
    expect(gsm7Length('ç')).toBeUndefined();
    expect(gsm7Length('`')).toBeUndefined();
    expect(gsm7Length('رمز')).toBeUndefined();
    expect(gsm7Length('é€')).toBe(3);
    expect(isGsm7Basic('é€')).toBe(false);
  });
});
