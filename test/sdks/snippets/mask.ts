// What differs from run to run, made alike on both sides before output is compared. Pure.

const masks: readonly [RegExp, string][] = [
  [/\b(vrf|msg|evt|acct|key|whe|snd|req)_[0-9a-z]{26}\b/g, '$1_…'],
  [/\b(ramz_(?:live|test))_[0-9A-Za-z_]+…?/g, '$1_…'],
  [/\bwhsec_[A-Za-z0-9+/=]+…?/g, 'whsec_…'],
  [/\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?( ?(Z|UTC|[+-]\d\d:?\d\d))?( \w+)?/g, '<time>'],
  [/\b\d\d:\d\d:\d\d(\.\d+)?\b/g, '<time>'],
  [/\+\d{8,15}\b/g, '<number>'],
  [/\b[0-9A-F]{16}\b/g, '<provider id>'],
  [/\b\d{6}\b/g, '<code>'],
  [/\b\d+(\.\d+)? ?(ms|s)\b/g, '<duration>'],
  [/^id: \d+-\d+$/gm, 'id: <event id>'],
  [/http:\/\/127\.0\.0\.1:\d+/g, '<address>'],
];

export const masked = (text: string): string =>
  masks
    .reduce((line, [pattern, mask]) => line.replace(pattern, mask), text)
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')
    .trim();

/** Where what was printed is not what the page shows; undefined where it is. `…` on a line of its own stands for any lines. */
export function difference(expected: string, printed: string): string | undefined {
  const parts = masked(expected)
    .split(/^…$/m)
    .map((part) => part.trim());
  const shown = masked(printed);
  const pattern = parts.map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('[\\s\\S]*');
  if (new RegExp(`^${pattern}$`).test(shown)) return undefined;
  return `the page shows\n${masked(expected)}\nbut it prints\n${shown}`;
}
