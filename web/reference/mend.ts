// What the viewer's own markup lacks for readers of the screen, by the rules of axe: there is no setting for any of it. The viewer draws
// parts again at any time, so what it adds is looked at as it comes.

/** Elements → what is wrong with them is put right. Each selector leaves out what was mended already. */
const mends: readonly [selector: string, mend: (element: Element) => void][] = [
  ['button[class*="copy-button"]:not([aria-label])', (button) => button.setAttribute('aria-label', 'Copy')],
  // A button is one, whatever it opens.
  ['button[role="none"]', (button) => button.removeAttribute('role')],
  ['.cm-content:not([aria-label])', (editor) => editor.setAttribute('aria-label', 'Body')],
  // It has no list that could be said to be open: what is typed is all there is.
  ['.code-input-lite__editor[role="combobox"]', (field) => field.setAttribute('role', 'textbox')],
];

/** Mends what stands below an element, and what will. */
export function mendBelow(root: Element): void {
  let isWaiting = false;
  const mend = () => {
    isWaiting = false;
    for (const [selector, put] of mends) for (const element of root.querySelectorAll(selector)) put(element);
  };
  // Once for all that a frame brings.
  new MutationObserver(() => {
    if (isWaiting) return;
    isWaiting = true;
    requestAnimationFrame(mend);
  }).observe(root, { childList: true, subtree: true });
}
