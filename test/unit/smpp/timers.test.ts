// When a bind acts: enquire_link on a silent connection, and the pause before the next try.

import { describe, expect, test } from 'vitest';
import { defaultBackoff, LinkTimers, type LinkTimersOptions, pauseAfter } from '../../../src/smpp/timers.ts';

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

const pause = (status: number | null, failures: number, random = 1) =>
  pauseAfter(status, { inRow: failures, alike: failures }, random, defaultBackoff);

describe('the pause before the next try', () => {
  test.each([
    [1, 1_000],
    [2, 2_000],
    [3, 4_000],
    [6, 32_000],
    [7, 60_000],
    [10_000, 60_000],
  ])('failure %d: up to %d ms', (failures, ms) => {
    expect(pause(null, failures)).toEqual({ ms, alarm: false });
    expect(pause(null, failures, 0.5)).toEqual({ ms: ms / 2, alarm: false });
    expect(pause(null, failures, 0)).toEqual({ ms: 0, alarm: false });
  });
  test.each([0x0e, 0x0f])('refused credentials (status %d): five minutes and an alarm', (status) => {
    expect(pause(status, 1, 0)).toEqual({ ms: 300_000, alarm: true });
  });
  test.each([
    [1, 2_000],
    [2, 4_000],
    [5, 30_000],
    [10_000, 30_000],
  ])('already bound, failure %d: %d ms, and up to a fifth more below half a minute', (failures, ms) => {
    expect(pause(0x05, failures, 0)).toEqual({ ms, alarm: false });
    expect(pause(0x05, failures, 1)).toEqual({ ms: Math.min(30_000, ms * 1.2), alarm: false });
  });
  test.each([
    [1, 5_000, false],
    [2, 10_000, false],
    [3, 20_000, false],
    [4, 40_000, false],
    [5, 60_000, true],
    [10_000, 60_000, true],
  ])('bind failed (0x0D), failure %d: %d ms; the alarm is %s', (failures, ms, alarm) => {
    expect(pause(0x0d, failures, 0)).toEqual({ ms, alarm });
    expect(pause(0x0d, failures, 1)).toEqual({ ms: Math.min(60_000, ms * 1.2), alarm });
  });
  test.each([0x08, 0x58, 0xff])('another refusal (status %d): as any failure', (status) => {
    expect(pause(status, 2)).toEqual({ ms: 2_000, alarm: false });
  });
});
