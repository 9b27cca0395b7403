// A hundred thousand messages that are nearly right: none throws, none takes long. The fuzzer (test/fuzz/targets/sip.ts) asks more of fewer.
import { expect, test } from 'vitest';
import { faultOf } from '../../../src/sip/fault.ts';
import { parseMessage } from '../../../src/sip/message.ts';
import { parseAnswer } from '../../../src/sip/sdp.ts';
import { mutate } from '../../fuzz/mutate.ts';
import { randomOf } from '../../fuzz/random.ts';
import { sip } from '../../fuzz/targets/sip.ts';
import { cpuMs } from '../../support/cpu.ts';

test('100,000 mutated messages', () => {
  const random = randomOf(4475);
  const sources = { dictionary: sip.dictionary, others: sip.seeds };
  const counts = { refused: 0, faulty: 0, silent: 0, spoken: 0 };
  let slowestMs = 0;
  for (let count = 0; count < 100_000; count += 1) {
    const input = mutate(random.pick(sip.seeds), random, sources);
    const tookMs = cpuMs(() => {
      const message = parseMessage(input);
      if (message === null) counts.refused += 1;
      else if (faultOf(message) !== null) counts.faulty += 1;
      else counts[parseAnswer(message.body).kind === 'ok' ? 'spoken' : 'silent'] += 1;
    });
    slowestMs = Math.max(slowestMs, tookMs);
  }
  // Mutations are stopped by every check, and pass it as well.
  for (const count of Object.values(counts)) expect(count).toBeGreaterThan(5_000);
  expect(slowestMs).toBeLessThan(1_000);
});
