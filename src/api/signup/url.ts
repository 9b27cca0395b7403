// Where the page of an embedded signup is.

export const signupPath = '/connect/messaging';

/** `base`: where browsers find the service. */
export function pageUrl(base: string, { state, language }: { state: string; language: string }): string {
  return `${base.replace(/\/+$/, '')}${signupPath}?${new URLSearchParams({ state, lang: language })}`;
}
