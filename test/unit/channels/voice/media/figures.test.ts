// The counts of the media thread, in memory that the main thread reads, and of which it writes one word.
import { expect, test, vi } from 'vitest';
import { Figures } from '../../../../../src/channels/voice/media/figures.ts';

test('a gap that the media thread writes while the main thread reads is in these figures or in the next', () => {
  const main = new Figures();
  const thread = new Figures(main.shared);
  thread.sent(0, 20);
  // The classes of lateness are read in the middle: a thousand words, during which the other thread goes on.
  const { subarray } = Uint32Array.prototype;
  const reading = vi.spyOn(Uint32Array.prototype, 'subarray').mockImplementationOnce(function (
    this: Uint32Array,
    from,
  ) {
    thread.sent(0, 500);
    return subarray.call(this, from);
  } as typeof subarray);
  const figures = [main.read(), main.read(), main.read()];
  expect(reading).toHaveBeenCalledTimes(3);
  reading.mockRestore();
  const gaps = figures.map(({ gapMs }) => gapMs);
  expect(Math.max(...gaps)).toBe(500);
  expect(gaps.at(-1)).toBe(0);
  expect(figures.at(-1)).toMatchObject({ sent: 2 });
});

test('the longest gap since they were last read, and how late each packet was', () => {
  const figures = new Figures();
  figures.sent(0.25, 30);
  figures.sent(400, 20);
  figures.add('received', 3);
  const read = figures.read();
  expect(read).toMatchObject({ sent: 2, received: 3, gapMs: 30 });
  expect(read.lateness[2]).toBe(1);
  expect(read.lateness.at(-1)).toBe(1);
  expect(figures.read()).toMatchObject({ sent: 2, gapMs: 0 });
});
