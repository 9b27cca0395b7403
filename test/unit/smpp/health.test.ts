import { expect, test } from 'vitest';
import { Health } from '../../../src/smpp/health.ts';

const health = () => new Health({ misses: 3, restMs: 60 });

test('three messages in a row without an answer make it sick', () => {
  const bind = health();
  expect([bind.missed(0), bind.missed(1), bind.sick, bind.missed(2), bind.sick]).toEqual([
    false,
    false,
    false,
    true,
    true,
  ]);
});

test('an answer in between begins the count again', () => {
  const bind = health();
  bind.missed(0);
  bind.missed(1);
  bind.answered();
  expect([bind.missed(2), bind.missed(3), bind.trust(3)]).toEqual([false, false, 'well']);
});

test('sick, it is the last resort for a while, then tried; each further message without an answer doubles the while', () => {
  const bind = health();
  for (let n = 0; n < 3; n += 1) bind.missed(0);
  expect([bind.trust(59), bind.trust(60)]).toEqual(['last_resort', 'to_be_tried']);
  expect([bind.missed(60), bind.trust(179), bind.trust(180)]).toEqual([true, 'last_resort', 'to_be_tried']);
  for (let n = 0; n < 20; n += 1) bind.missed(1000);
  expect([bind.trust(1599), bind.trust(1600)]).toEqual(['last_resort', 'to_be_tried']);
  bind.answered();
  expect([bind.sick, bind.trust(1000)]).toEqual([false, 'well']);
});
