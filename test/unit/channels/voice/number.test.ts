// Which trunks serve a number, in which order, and how each of them has it written.
import { describe, expect, it } from 'vitest';
import { allRoutes, dialed, routeOf, servingTrunks, trunksOf } from '../../../../src/channels/voice/number.ts';

const trunks = [
  { name: 'main', prefixes: ['+213'] },
  { name: 'spare', prefixes: ['+213', '+216'] },
  { name: 'mobile', prefixes: ['+21355', '+21366'] },
];
const names = (number: string) => servingTrunks(number, trunks).map(({ name }) => name);

describe('the trunks of a number', () => {
  it('are those with a prefix of it, the longest first, those of one length in the order given', () => {
    expect(names('+213210000000')).toEqual(['main', 'spare']);
    expect(names('+216200000000')).toEqual(['spare']);
    expect(names('+213550000001')).toEqual(['mobile', 'main', 'spare']);
    expect(names('+33600000000')).toEqual([]);
  });

  it('make the route, and are found in it again', () => {
    const route = routeOf(servingTrunks('+213210000000', trunks));
    expect(route).toBe('voice/main+spare');
    expect(trunksOf(route)).toEqual(['main', 'spare']);
    expect(trunksOf('sms/main')).toEqual([]);
  });

  it('make every route that some number can have, each once', () => {
    expect(allRoutes(trunks).toSorted()).toEqual(['voice/main+spare', 'voice/mobile+main+spare', 'voice/spare']);
    for (const number of ['+213210000000', '+216200000000', '+213550000001']) {
      expect(allRoutes(trunks)).toContain(routeOf(servingTrunks(number, trunks)));
    }
  });
});

it.each([
  ['plus', null, '+213550000001'],
  ['double_zero', null, '00213550000001'],
  ['digits', null, '213550000001'],
  ['national', '213', '0550000001'],
] as const)('is dialed in the form %s', (numberFormat, countryCode, expected) => {
  expect(dialed('+213550000001', { numberFormat, countryCode })).toBe(expected);
});
