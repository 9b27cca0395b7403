// What the person at the page has chosen: the session or phone looked at, what was sent from here, the filter, and on a narrow screen
// which pane is shown. Announcements for screen readers go through here, because there is one voice for the page.

import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useState } from 'react';
import { listen, useDoor } from './door/store.ts';
import type { SentTo } from './phones/phones.ts';

export type Selected = { sessionId: string } | { to: string } | null;

export const panes = ['send', 'phones', 'session'] as const;

export type Pane = (typeof panes)[number];

interface PageState {
  selected: Selected;
  select(selected: Selected): void;
  /** Number of the phone that is marked. */
  marked: string | null;
  sent: readonly SentTo[];
  noteSent(to: string): void;
  /** After clearing here; what was sent is forgotten in every tab. */
  forgetAll(): void;
  filter: string;
  setFilter(filter: string): void;
  pane: Pane;
  showPane(pane: Pane): void;
  announce(text: string): void;
}

const PageContext = createContext<PageState | null>(null);

export function usePage(): PageState {
  const state = useContext(PageContext);
  if (!state) throw new Error('not inside of PageProvider');
  return state;
}

const mostSent = 50;

export function PageProvider({ children }: { children: ReactNode }) {
  const [selected, setSelected] = useState<Selected>(null);
  const [marked, setMarked] = useState<string | null>(null);
  const [sent, setSent] = useState<readonly SentTo[]>([]);
  const [filter, setFilter] = useState('');
  const [pane, showPane] = useState<Pane>('phones');
  const [said, setSaid] = useState({ text: '', turn: 0 });

  const announce = useCallback((text: string) => setSaid(({ turn }) => ({ text, turn: turn + 1 })), []);
  const noteSent = useCallback((to: string) => {
    setMarked(to);
    setSent((all) => [...all.filter((other) => other.to !== to), { to, at: Date.now() }].slice(-mostSent));
  }, []);
  const forgetAll = useCallback(() => {
    setSent([]);
    setSelected(null);
    setMarked(null);
  }, []);
  useEffect(() => listen((before, after) => after.emptied !== before.emptied && setSent([])), []);
  const select = useCallback((next: Selected) => {
    setSelected(next);
    if (next && 'to' in next) setMarked(next.to);
  }, []);
  const state = useMemo(
    () => ({ selected, select, marked, sent, noteSent, forgetAll, filter, setFilter, pane, showPane, announce }),
    [selected, select, marked, sent, noteSent, forgetAll, filter, pane, announce],
  );
  return (
    <PageContext value={state}>
      {children}
      <div role="status" aria-live="polite" data-announcer style={hidden}>
        {/* The same words twice are two announcements. */}
        {said.text + (said.turn % 2 ? '\u00a0' : '')}
      </div>
    </PageContext>
  );
}

/** What is looked at: what was chosen, else the phone that something reached last, as after a call with curl. */
export function useLookedAt(): { selected: Selected; marked: string | null } {
  const { selected, marked } = usePage();
  const { messages, calls } = useDoor();
  const newest = messages.at(-1)?.to ?? calls.at(-1)?.to;
  if (selected || marked || newest === undefined) return { selected, marked };
  return { selected: { to: newest }, marked: newest };
}

const hidden = {
  position: 'fixed',
  top: 0,
  width: 1,
  height: 1,
  overflow: 'hidden',
  clipPath: 'inset(50%)',
  whiteSpace: 'nowrap',
} as const;
