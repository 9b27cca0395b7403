import { describe, expect, test } from 'vitest';
import { LinkTimers, type LinkTimersOptions } from '../../../src/smpp/timers.ts';

const timers = (change: Partial<LinkTimersOptions> = {}) =>
  new LinkTimers({ idleMs: 25, responseMs: 10, maxMisses: 2, inactivityMs: null, ...change }, 0);

describe('enquire_link', () => {
  test('after silence', () => {
    const link = timers();
    expect(link.due(24)).toEqual({ kind: 'wait', until: 25 });
    expect(link.due(25)).toEqual({ kind: 'enquire_link', until: 35 });
    expect(link.due(26)).toEqual({ kind: 'wait', until: 35 });
  });
  test('not while anything is heard', () => {
    const link = timers();
    link.heard(20);
    expect(link.due(25)).toEqual({ kind: 'wait', until: 45 });
  });
  test('two misses in a row are the end', () => {
    const link = timers();
    link.due(25);
    expect(link.due(35)).toEqual({ kind: 'enquire_link', until: 45 });
    expect(link.due(44)).toEqual({ kind: 'wait', until: 45 });
    expect(link.due(45)).toEqual({ kind: 'dead' });
  });
  test('any word in between starts anew', () => {
    const link = timers();
    link.due(25);
    link.due(35);
    link.heard(44);
    expect(link.due(45)).toEqual({ kind: 'wait', until: 69 });
    link.due(69);
    expect(link.due(79)).toMatchObject({ kind: 'enquire_link' });
  });
});

test('an idle time shorter than the response time is kept too', () => {
  const link = timers({ idleMs: 5 });
  expect(link.due(5)).toEqual({ kind: 'enquire_link', until: 10 });
  link.heard(6);
  expect(link.due(10)).toEqual({ kind: 'wait', until: 11 });
  expect(link.due(11)).toMatchObject({ kind: 'enquire_link' });
});

describe('inactivity', () => {
  test('counts from the last work, not from enquire_link', () => {
    const link = timers({ inactivityMs: 100 });
    link.worked(10);
    link.heard(90);
    expect(link.due(100)).toEqual({ kind: 'wait', until: 110 });
    expect(link.due(110)).toEqual({ kind: 'inactive' });
  });
});
