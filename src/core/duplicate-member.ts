// Members of JSON that are given twice: JSON.parse drops all but the last in silence, whatever the writer of the text, or a proxy in front of us, has
// read in the first.

/** From the outside in: names of members, indexes of list items. */
export type JsonPath = (string | number)[];

interface Open {
  /** Names of the members so far; null in a list. */
  names: Set<string> | null;
  /** Name of the member, or index of the item, that is being read. */
  at: string | number;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const [LIST, LIST_END, OBJECT, OBJECT_END] = [0x5b, 0x5d, 0x7b, 0x7d];

/**
 * Where the first member is whose name its object has already, escapes resolved (`"\u0074o"` is `"to"`); undefined where there
 * is none. `json` is text that JSON.parse takes. One pass without recursion: a body may nest as deep as it is long.
 */
export function duplicateMember(json: string): JsonPath | undefined {
  const opened: Open[] = [];
  let inner: Open | undefined;
  let wantsName = false;
  for (let index = 0; index < json.length; index += 1) {
    switch (json.charCodeAt(index)) {
      case QUOTE: {
        const end = endOfString(json, index);
        if (wantsName && inner?.names) {
          wantsName = false;
          inner.at = sourceOf(json, index, end);
          if (inner.names.has(inner.at)) return opened.map(({ at }) => at);
          inner.names.add(inner.at);
        }
        index = end;
        break;
      }
      case OBJECT:
        inner = { names: new Set(), at: '' };
        opened.push(inner);
        wantsName = true;
        break;
      case LIST:
        inner = { names: null, at: 0 };
        opened.push(inner);
        break;
      case COMMA:
        if (typeof inner?.at === 'number') inner.at += 1;
        else wantsName = true;
        break;
      case OBJECT_END:
      case LIST_END:
        opened.pop();
        inner = opened.at(-1);
        wantsName = false;
        break;
    }
  }
  return undefined;
}

/** Index of the quote that ends the string begun at `start`: the first one behind an even number of backslashes. */
function endOfString(json: string, start: number): number {
  for (let end = json.indexOf('"', start + 1); ; end = json.indexOf('"', end + 1)) {
    let before = end - 1;
    while (json.charCodeAt(before) === BACKSLASH) before -= 1;
    if ((end - before) % 2 === 1) return end;
  }
}

function sourceOf(json: string, start: number, end: number): string {
  const text = json.slice(start + 1, end);
  return text.includes('\\') ? JSON.parse(`"${text}"`) : text;
}
