// Values of the contract that the pane of a session shows have words in each language.
import { expect, it } from 'vitest';
import { deliveryStatusValues, sessionStatusValues, statusReasonValues } from '../../../src/gen/values.ts';
import { wordIn } from '../../../web/session/plain-words.ts';

it.each([...statusReasonValues, ...sessionStatusValues, ...deliveryStatusValues])('%s', (word) => {
  for (const language of ['en', 'fr', 'ar'] as const) {
    const told = wordIn(language, 'status', word);
    expect(told).not.toContain('_');
    if (language !== 'en') expect(told).not.toBe(word);
  }
});
