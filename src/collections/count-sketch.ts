// A count of very many keys in little memory: a count-min sketch (Cormode and Muthukrishnan 2005) over the last while. It may count a key too often,
// where others fall into the same cells, and never too seldom.

/** Cells of a row; a power of two. */
const cells = 1 << 18;
const most = 255;

export class CountSketch {
  readonly #halfMs: number;
  #current = new Uint8Array(2 * cells);
  #before = new Uint8Array(2 * cells);
  #half = 0;

  /** Keys are counted for `forMs` at least, and twice as long at most. */
  constructor(forMs: number) {
    this.#halfMs = forMs;
  }

  /** Counts the key, and returns how often it was counted of late, 255 at most in each of the two spans. */
  add(key: string, now: number): number {
    this.#turn(now);
    const [one, other] = cellsOf(key);
    this.#raise(one);
    this.#raise(cells + other);
    return Math.min(this.#count(one), this.#count(cells + other));
  }

  #raise(cell: number): void {
    const count = this.#current[cell] ?? 0;
    if (count < most) this.#current[cell] = count + 1;
  }

  #count(cell: number): number {
    return (this.#current[cell] ?? 0) + (this.#before[cell] ?? 0);
  }

  #turn(now: number): void {
    const half = Math.floor(now / this.#halfMs);
    if (half === this.#half) return;
    const emptied = this.#before.fill(0);
    this.#before = half === this.#half + 1 ? this.#current : new Uint8Array(2 * cells);
    this.#current = emptied;
    this.#half = half;
  }
}

/** FNV-1a, from two beginnings. */
function cellsOf(key: string): [number, number] {
  let one = 0x811c9dc5;
  let other = 0x9dc5811c;
  for (let i = 0; i < key.length; i += 1) {
    const code = key.charCodeAt(i);
    one = Math.imul(one ^ code, 0x01000193);
    other = Math.imul(other ^ code, 0x85ebca6b);
  }
  return [(one ^ (one >>> 15)) & (cells - 1), (other ^ (other >>> 13)) & (cells - 1)];
}
