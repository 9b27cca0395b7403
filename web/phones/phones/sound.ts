// The address of a recording, below the page's own: the sandbox may have been reached by another name than it knows itself by.

export function soundOf(wav: string, live = false): string {
  const file = wav.split('/').at(-1) ?? '';
  return new URL(`sandbox/recordings/${file}${live ? '?live=1' : ''}`, document.baseURI).href;
}
