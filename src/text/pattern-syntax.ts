// The syntax of linear patterns: JavaScript's, without what can't be read in linear time. Characters are UTF-16 units.

/** Whether a character fits, by its code. */
export type CharTest = (code: number) => boolean;
export type Assertion = 'start' | 'end' | 'border' | 'no_border';

export type Node =
  | { kind: 'char'; test: CharTest }
  | { kind: 'assert'; what: Assertion }
  | { kind: 'sequence'; parts: readonly Node[] }
  | { kind: 'choice'; parts: readonly Node[] }
  /** `index`: the order of its name; null where it has none. */
  | { kind: 'group'; index: number | null; part: Node }
  | { kind: 'repeat'; part: Node; least: number; most: number | null; greedy: boolean };

export type Parsed = { kind: 'ok'; root: Node; names: readonly string[] } | { kind: 'refused'; reason: string };

const maxSource = 500;
/** Groups within groups. */
const maxDepth = 20;
const maxCount = 200;

class Refusal extends Error {}

export function parsePattern(source: string): Parsed {
  if (source.length > maxSource) return { kind: 'refused', reason: `is longer than ${maxSource} characters` };
  try {
    const parser = new Parser(source);
    return { kind: 'ok', root: parser.parse(), names: parser.names };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { kind: 'refused', reason: error.message };
  }
}

class Parser {
  readonly names: string[] = [];
  readonly #source: string;
  #at = 0;
  #depth = 0;

  constructor(source: string) {
    this.#source = source;
  }

  /** @throws Refusal */
  parse(): Node {
    const root = this.#choice();
    if (this.#at < this.#source.length) throw new Refusal(`has a ) without a ( at character ${this.#at + 1}`);
    return root;
  }

  #eat(text: string): boolean {
    if (!this.#source.startsWith(text, this.#at)) return false;
    this.#at += text.length;
    return true;
  }

  /** What a sticky expression finds here. */
  #take(pattern: RegExp): RegExpExecArray | null {
    const sticky = new RegExp(pattern, 'y');
    sticky.lastIndex = this.#at;
    const found = sticky.exec(this.#source);
    if (found) this.#at += found[0].length;
    return found;
  }

  #choice(): Node {
    this.#depth += 1;
    if (this.#depth > maxDepth) throw new Refusal(`has more than ${maxDepth} groups within each other`);
    const parts = [this.#sequence()];
    while (this.#eat('|')) parts.push(this.#sequence());
    this.#depth -= 1;
    return parts.length === 1 ? parts[0]! : { kind: 'choice', parts };
  }

  #sequence(): Node {
    const parts: Node[] = [];
    while (this.#at < this.#source.length && !/[|)]/.test(this.#source[this.#at]!)) parts.push(this.#repeated());
    return { kind: 'sequence', parts };
  }

  #repeated(): Node {
    const from = this.#at;
    const part = this.#atom();
    const found = this.#take(/([*+?])|\{(\d{1,3})(?:(,)(\d{1,3})?)?\}/);
    if (!found) return part;
    const [whole, sign, count, comma, upTo] = found;
    if (part.kind === 'assert')
      throw new Refusal(`repeats ${this.#source.slice(from, this.#at)}, which takes no character`);
    const least = sign === undefined ? Number(count) : sign === '+' ? 1 : 0;
    const most =
      sign === '?'
        ? 1
        : sign !== undefined
          ? null
          : comma === undefined
            ? least
            : upTo === undefined
              ? null
              : Number(upTo);
    if (least > maxCount || (most ?? 0) > maxCount) throw new Refusal(`repeats more than ${maxCount} times: ${whole}`);
    if (most !== null && most < least)
      throw new Refusal(`repeats at least ${least} and at most ${most} times: ${whole}`);
    const greedy = !this.#eat('?');
    if (/[*+{]/.test(this.#source[this.#at] ?? ''))
      throw new Refusal(`repeats a repetition at character ${this.#at + 1}`);
    return { kind: 'repeat', part, least, most, greedy };
  }

  #atom(): Node {
    if (this.#eat('(')) return this.#group();
    if (this.#eat('[')) return { kind: 'char', test: this.#class() };
    if (this.#eat('^')) return { kind: 'assert', what: 'start' };
    if (this.#eat('$')) return { kind: 'assert', what: 'end' };
    if (this.#eat('.')) return { kind: 'char', test: (code) => code !== 0x0a && code !== 0x0d };
    if (this.#eat('\\b')) return { kind: 'assert', what: 'border' };
    if (this.#eat('\\B')) return { kind: 'assert', what: 'no_border' };
    if (this.#eat('\\')) return { kind: 'char', test: this.#escape() };
    const letter = this.#source[this.#at]!;
    if (/[*+?{}\]]/.test(letter)) throw new Refusal(`has a ${letter} that repeats or ends nothing: write \\${letter}`);
    this.#at += 1;
    return { kind: 'char', test: oneOf(letter) };
  }

  #group(): Node {
    let index: number | null = null;
    if (this.#take(/\?<(?![=!])/)) {
      const name = this.#take(/([a-z_]{1,32})>/)?.[1];
      if (name === undefined) throw new Refusal('has a group whose name is not of a-z and _');
      if (this.names.includes(name)) throw new Refusal(`has two groups named ${name}`);
      index = this.names.push(name) - 1;
    } else if (!this.#eat('?:') && this.#eat('?')) {
      throw new Refusal('looks ahead or behind, or has flags ((?…): that can not be read in bounded time');
    }
    const part = this.#choice();
    if (!this.#eat(')')) throw new Refusal('has a ( without a )');
    return { kind: 'group', index, part };
  }

  #escape(): CharTest {
    const letter = this.#source[this.#at];
    if (letter === undefined) throw new Refusal('ends in a \\');
    this.#at += 1;
    const known = classes[letter] ?? whites[letter];
    if (known) return known;
    if (/[1-9k]/.test(letter)) throw new Refusal(`refers back (\\${letter}): that can not be read in bounded time`);
    if (/\w/.test(letter)) throw new Refusal(`has \\${letter}, which is not supported`);
    return oneOf(letter);
  }

  #class(): CharTest {
    const negated = this.#eat('^');
    const tests: CharTest[] = [];
    while (!this.#eat(']')) {
      const from = this.#classEnd();
      if (typeof from === 'string' && /^-[^\]]/.test(this.#source.slice(this.#at))) {
        this.#at += 1;
        const to = this.#classEnd();
        if (typeof to !== 'string' || to < from) throw new Refusal('has a range in [] that is none');
        tests.push(range(from.charCodeAt(0), to.charCodeAt(0)));
      } else tests.push(typeof from === 'string' ? oneOf(from) : from);
    }
    const any: CharTest = (code) => tests.some((test) => test(code));
    return negated ? (code) => !any(code) : any;
  }

  /** A character, or a class such as \d. */
  #classEnd(): string | CharTest {
    const letter = this.#source[this.#at];
    if (letter === undefined) throw new Refusal('has a [ without a ]');
    if (letter !== '\\') {
      this.#at += 1;
      return letter;
    }
    this.#at += 1;
    const escaped = this.#source[this.#at] ?? '';
    const test = this.#escape();
    return /\W/.test(escaped) ? escaped : test;
  }
}

/** A character whatever its case. */
function oneOf(letter: string): CharTest {
  const [lower, upper] = [letter.toLowerCase().charCodeAt(0), letter.toUpperCase().charCodeAt(0)];
  return (code) => code === lower || code === upper;
}

/** Codes from one to the other, and the ASCII letters that differ from these only in case. */
function range(from: number, to: number): CharTest {
  const within = (code: number): boolean => code >= from && code <= to;
  return (code) => within(code) || (isLetter(code) && within(code ^ 0x20));
}

const isLetter = (code: number): boolean => /^[A-Za-z]$/.test(String.fromCharCode(code));

const matching =
  (pattern: RegExp): CharTest =>
  (code) =>
    pattern.test(String.fromCharCode(code));

const classes: Readonly<Record<string, CharTest | undefined>> = {
  d: matching(/\d/),
  D: matching(/\D/),
  w: matching(/\w/),
  W: matching(/\W/),
  s: matching(/\s/),
  S: matching(/\S/),
};

const whites: Readonly<Record<string, CharTest | undefined>> = {
  t: (code) => code === 0x09,
  n: (code) => code === 0x0a,
  r: (code) => code === 0x0d,
};
