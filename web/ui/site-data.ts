// What a person has chosen, kept in the browser for the next visit. A browser may keep no site data, and throws then: a choice lasts as long as
// the page.

const here = new Map<string, string>();

export function readChoice(name: string): string | null {
  try {
    return here.get(name) ?? localStorage.getItem(name);
  } catch {
    return null;
  }
}

export function keepChoice(name: string, value: string): void {
  here.set(name, value);
  try {
    localStorage.setItem(name, value);
  } catch {
    // The site's data is blocked, or there is no room for it.
  }
}
