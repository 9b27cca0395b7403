/** The text with another last character, whatever it ended in: an id or a key of nobody. */
export const otherEnd = (text: string): string => `${text.slice(0, -1)}${text.endsWith('0') ? '1' : '0'}`;
