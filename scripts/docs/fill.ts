// Replaces what is between `<!-- made: name -->` and `<!-- end -->`: lines of their own, or a value within a sentence. Pure.

const part = /(<!-- made: ([a-z_]+) -->)(\n?)[\s\S]*?(<!-- end -->)/g;

/** @throws where a page names a part that nobody makes. */
export function fill(page: string, parts: Readonly<Record<string, () => string>>): string {
  return page.replace(part, (_, begin: string, name: string, newline: string, end: string) => {
    const make = parts[name];
    if (!make) throw new Error(`nobody makes the part ${name}`);
    return newline ? `${begin}\n\n${make()}\n\n${end}` : `${begin}${make()}${end}`;
  });
}

/** Names of the parts a page has. */
export const partsOf = (page: string): string[] => [...page.matchAll(part)].map((match) => match[2] ?? '');

/** A Markdown table. Cells are text as it stands; a pipe in it is escaped. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
