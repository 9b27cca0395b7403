// Text of others that is shown on one line, in a list or at a terminal. Control characters would begin another line there, move the cursor or
// colour what follows, and direction marks put words in another order than they were written in.

/** Marks that span text. Those beside a single letter, which Arabic and Persian are written with, stay. */
const unfit = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/gu;

export const isOneLine = (text: string): boolean => text.search(unfit) < 0;

/** On one line, whatever it holds. As in JSON, so that a line of JSON still says the same. */
export const onOneLine = (text: string): string =>
  text.replace(unfit, (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`);
