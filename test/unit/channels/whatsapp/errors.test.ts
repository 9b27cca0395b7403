// Every error code of the platform's page "Error codes" (May 2026) has a chosen meaning. The codes are typed from that page, in its
// sections; those of calls, groups, flows, user names and blocked users belong to calls that are not made here.
import { describe, expect, it } from 'vitest';
import { errorMeaning, isUnknownCode } from '../../../../src/channels/whatsapp/errors.ts';

const documented = {
  authorization: [0, 3, 10, 190, 200, 219, 299],
  integrity: [368, 130497, 131031],
  throttling: [4, 80007, 130429, 131048, 131056, 131064, 133016],
  sending: [
    ...[1, 2, 33, 100, 130472, 131000, 131005, 131008, 131009, 131016, 131021, 131026, 131030, 131037, 131042],
    ...[131044, 131045, 131047, 131049, 131050, 131051, 131052, 131053, 131057, 131062, 131063, 135000, 137000],
  ],
  templates: [132000, 132001, 132005, 132007, 132008, 132012, 132015, 132016, 132018, 132068, 132069],
  templateCreation: [2388019, 2388023, 2388040, 2388047, 2388072, 2388073, 2388293, 2388299],
  registration: [133000, 133004, 133005, 133006, 133008, 133009, 133010, 133015],
  migration: [2388012, 2388091, 2388103, 2494100],
  graph: [17, 102, 341, 613, 80008],
};

it.each(Object.entries(documented))('every code of %s has a meaning', (_, codes) => {
  for (const code of codes) expect([code, errorMeaning(code)]).not.toEqual([code, 'other']);
});

describe('a code that', () => {
  it.each([132018, 132008, 131030, 131063])('%i says that the configuration is wrong', (code) => {
    expect(errorMeaning(code)).toBe('configuration');
  });
  it.each([131037, 131045, 131048, 131064])('%i refuses the number for everyone', (code) => {
    expect(errorMeaning(code)).toBe('channel_down');
  });
  it.each([135000, 2494100])('%i passes', (code) => {
    expect(errorMeaning(code)).toBe('trouble');
  });
  it('nobody knows is unknown; an HTTP status is no code', () => {
    expect(isUnknownCode('199999')).toBe(true);
    expect(isUnknownCode('131026')).toBe(false);
    expect(isUnknownCode('HTTP 404')).toBe(false);
  });
});
