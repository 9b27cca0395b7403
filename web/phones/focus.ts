// Focus that goes with its element, as when a call is answered or a list cleared, stays near: on what is left around it. Else the next Tab of
// a person without a mouse begins at the top of the page.

import { useEffect } from 'react';

export function useFocusKept(): void {
  useEffect(() => {
    /** What was in focus last, and around it from the inside to the outside. */
    let path: HTMLElement[] = [];
    const note = ({ target }: FocusEvent) => {
      path = [];
      for (let at = target as HTMLElement | null; at && at !== document.body; at = at.parentElement) path.push(at);
    };
    const look = () => {
      if (document.activeElement !== document.body || path.length === 0 || path[0]?.isConnected) return;
      const place = path.find((at) => at.isConnected && at.matches('article, section, main, header'));
      path = [];
      if (!place) return;
      if (!place.hasAttribute('tabindex')) place.tabIndex = -1;
      place.focus({ preventScroll: true });
    };
    const changes = new MutationObserver(look);
    changes.observe(document.body, { childList: true, subtree: true });
    document.addEventListener('focusin', note);
    return () => {
      changes.disconnect();
      document.removeEventListener('focusin', note);
    };
  }, []);
}
