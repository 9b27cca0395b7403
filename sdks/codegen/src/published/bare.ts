// The text of a .proto file without the options that it declares itself: what has a name in parentheses goes, `deprecated` and
// `idempotency_level` stay. The files come as buf formats them, and stay so.

/**
 * @param notes what to say in a comment above a field in place of its options; given their text.
 */
export function bare(text: string, notes: (options: string) => string[]): string {
  let made = '';
  let at = 0;
  while (at < text.length) {
    const statement = /^[ \t]*option \(/m.exec(text.slice(at, at + 80));
    if (statement?.index === 0 && (at === 0 || text[at - 1] === '\n')) {
      const end = endOf(text, at, ';') + 1;
      if (isNeeded.test(text.slice(at, end))) made = `${annotated(made.trimEnd(), ['One of them is required.'])}\n`;
      at = text[end] === '\n' ? end + 1 : end;
      continue;
    }
    const char = text[at] as string;
    if (text.startsWith('//', at) || char === '"') {
      const end = skip(text, at);
      made += text.slice(at, end);
      at = end;
    } else if (char === '[') {
      const end = endOf(text, at, ']');
      const options = text.slice(at + 1, end);
      const kept = split(options).filter((option) => !option.trim().startsWith('('));
      made = annotated(made.trimEnd(), notes(options));
      if (kept.length > 0) made += ` [${kept.map((option) => option.trim()).join(', ')}]`;
      at = end + 1;
    } else {
      made += char;
      at += 1;
    }
  }
  return tidy(made);
}

/** Of a oneof. */
const isNeeded = /^[ \t]*option \(required\) = true/;

/** Puts notes between the comment of the last line's field and the field. */
function annotated(made: string, notes: readonly string[]): string {
  const start = made.lastIndexOf('\n') + 1;
  const indent = /^ */.exec(made.slice(start))?.[0] ?? '';
  return made.slice(0, start) + notes.map((note) => `${indent}// ${note}\n`).join('') + made.slice(start);
}

const tidy = (text: string): string =>
  text
    .replace(/^import "(google\/api|ramz\/v1\/options)[^\n]*\n/gm, '')
    .replace(/(\) returns \([^)]*\)) \{\s*\}/g, '$1;')
    .replace(/\n{3,}/g, '\n\n')
    .replace(/\{\n\n/g, '{\n')
    .replace(/\n\n([ \t]*\})/g, '\n$1')
    .replace(/(package [^\n]*\n)\n(?=\n)/g, '$1');

/** Behind the comment or the string that begins at `at`. */
function skip(text: string, at: number): number {
  if (text[at] !== '"') return text.indexOf('\n', at);
  let end = at + 1;
  while (text[end] !== '"') end += text[end] === '\\' ? 2 : 1;
  return end + 1;
}

/** Where `close` stands, outside of whatever is opened in between. */
function endOf(text: string, from: number, close: string): number {
  let depth = close === ']' ? -1 : 0;
  for (let at = from; at < text.length; at += 1) {
    const char = text[at] as string;
    if (char === '"' || text.startsWith('//', at)) at = skip(text, at) - 1;
    else if (char === close && depth === 0) return at;
    else if ('[{('.includes(char)) depth += 1;
    else if (']})'.includes(char)) depth -= 1;
  }
  throw new Error(`nothing closes what begins at ${from}`);
}

/** At the commas outside of whatever is opened in between. */
function split(options: string): string[] {
  const parts: string[] = [];
  for (let rest = options; rest !== ''; ) {
    const end = commaOf(rest);
    parts.push(rest.slice(0, end));
    rest = rest.slice(end + 1);
  }
  return parts;
}

function commaOf(text: string): number {
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at] as string;
    if (char === '"' || text.startsWith('//', at)) at = skip(text, at) - 1;
    else if (char === ',' && depth === 0) return at;
    else if ('[{('.includes(char)) depth += 1;
    else if (']})'.includes(char)) depth -= 1;
  }
  return text.length;
}
