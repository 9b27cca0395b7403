// The moods of operators, platform and trunk: one word for how each behaves, for the switches of the phones page. What a mood does is
// done where the part reads it; faults that a test orders one by one come on top of it.

import type { Feed } from './feed.ts';
import type { Phones } from './phones/phones.ts';
import type { Platform } from './platform/platform.ts';
import type { Smsc } from './smsc/smsc.ts';
import { type Mood, type MoodWord, moodWords, platformMoods, trunkMoods } from './views.ts';

/** A part that has moods. */
interface Moody {
  /** As it behaves now, whatever order made it so. */
  readonly mood: MoodWord;
  /** @throws when it cannot listen again, because its port is taken. */
  behave(mood: MoodWord): Promise<void>;
}

export interface MoodyParts {
  smscs: readonly Smsc[];
  platform: Platform;
  phones: Phones | null;
}

export class Moods {
  readonly #parts: ReadonlyMap<string, { part: Moody; moods: readonly MoodWord[] }>;
  readonly #feed: Feed;
  #announced: string;
  /** One change after another: a port that is being closed cannot be opened yet. */
  #last: Promise<unknown> = Promise.resolve();

  constructor({ smscs, platform, phones }: MoodyParts, feed: Feed) {
    const parts = new Map<string, { part: Moody; moods: readonly MoodWord[] }>();
    for (const smsc of smscs) parts.set(smsc.id, { part: smsc, moods: moodWords });
    parts.set('whatsapp', { part: platform, moods: platformMoods });
    if (phones) parts.set('trunk', { part: phones, moods: trunkMoods });
    this.#parts = parts;
    this.#feed = feed;
    this.#announced = this.#words();
  }

  list(): Mood[] {
    return [...this.#parts].map(([of, { part, moods }]) => ({ of, mood: part.mood, moods }));
  }

  /** What is wrong with the order; null = done. */
  async set(of: string, mood: MoodWord): Promise<string | null> {
    const known = this.#parts.get(of);
    if (!known) return `there is no "${of}": moods have ${[...this.#parts.keys()].join(', ')}`;
    if (!known.moods.includes(mood)) return `${of} has no mood "${mood}", only ${known.moods.join(', ')}`;
    const change = this.#last.then(() => known.part.behave(mood));
    this.#last = change.catch(() => {});
    try {
      await change;
      return null;
    } catch (error) {
      return `${of} cannot be ${mood}: ${(error as Error).message}`;
    } finally {
      this.look();
    }
  }

  /** Announces the moods where an order has changed one, by whatever name. */
  look(): void {
    const words = this.#words();
    if (words === this.#announced) return;
    this.#announced = words;
    this.#feed.announce('moods', this.list());
  }

  #words(): string {
    return [...this.#parts.values()].map(({ part }) => part.mood).join();
  }
}
