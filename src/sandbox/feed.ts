// The feed of what happens in the sandbox: parts announce a change here, and http/events.ts passes it on to the pages that are open.
// A part needs no page to work, so announcing where no page listens costs nothing.

import type { SandboxEvents } from './views.ts';

export type SandboxEvent = {
  [Name in keyof SandboxEvents]: { name: Name; data: SandboxEvents[Name] };
}[keyof SandboxEvents];

export class Feed {
  readonly #listeners = new Set<(event: SandboxEvent) => void>();

  announce<Name extends keyof SandboxEvents>(name: Name, data: SandboxEvents[Name]): void {
    for (const listener of this.#listeners) listener({ name, data } as SandboxEvent);
  }

  /** The returned function ends it. */
  listen(listener: (event: SandboxEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

/** Ids that grow, as numbers and as text, and are used once within one run of the sandbox. */
export function growingIds(): () => string {
  let last = 0;
  return () => {
    last += 1;
    return String(last).padStart(9, '0');
  };
}
