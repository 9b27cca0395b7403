// The hosts of DATABASE_URL and which of them is asked: the first one that was found to work, until it fails. One object for all pools, so
// that a host which one connection found dead is not tried by every other.

export class Hosts {
  readonly #urls: readonly string[];
  #at = 0;

  constructor(urls: readonly string[]) {
    this.#urls = urls;
  }

  get count(): number {
    return this.#urls.length;
  }

  /** URL of the host that is to be asked now. */
  get current(): string {
    return this.#urls[this.#at] ?? '';
  }

  /** Goes on to the next host, where this one is still the one that is asked: of many connections that fail at once, one moves it. */
  passOver(url: string): void {
    if (url === this.current) this.#at = (this.#at + 1) % this.#urls.length;
  }
}
