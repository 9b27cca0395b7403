// What arrives, said to the person: to a screen reader while the tab is seen; while it is hidden by a count in the title, and by notifications
// where they were asked for.

import { useEffect, useRef, useState } from 'react';
import { useWords } from '../ui/languages.ts';
import { keepChoice, readChoice } from '../ui/site-data.ts';
import { arrivals } from './door/state.ts';
import { listen } from './door/store.ts';
import { usePage } from './page-state.tsx';
import { shownNumber } from './phones/numbers.ts';
import { phoneWords } from './phones/words.ts';
import { titleOf } from './unread.ts';

const chosen = 'ramz-notify';

/** Announces, keeps the title, and notifies while `notify`. */
export function useAttention(notify: boolean): void {
  const say = useWords(phoneWords);
  const { announce } = usePage();
  // Kept where the effect begins again, as in another language.
  const unread = useRef(0);
  useEffect(() => {
    const title = titleOf(document.title, 0);
    const show = () => {
      document.title = titleOf(title, unread.current);
    };
    const seen = () => {
      if (document.hidden) return;
      unread.current = 0;
      show();
    };
    document.addEventListener('visibilitychange', seen);
    const end = listen((before, after) => {
      const arrived = arrivals(before, after);
      const newest = arrived.at(-1);
      if (!newest) return;
      const number = shownNumber(newest.to);
      const app = 'channel' in newest && newest.channel === 'whatsapp' ? 'WhatsApp' : 'SMS';
      const text = 'text' in newest ? say('arrived', { app, from: newest.from, number }) : say('rings', { number });
      if (!document.hidden) {
        announce(text);
        return;
      }
      unread.current += arrived.length;
      show();
      if (!notify) return;
      const notification = new Notification('Ramz', { body: text, tag: `${newest.to} ${newest.id}` });
      notification.onclick = () => window.focus();
    });
    return () => {
      end();
      document.removeEventListener('visibilitychange', seen);
    };
  }, [notify, say, announce]);
}

/** Whether the person wants notifications: asked by the button and at no other time. */
export function useNotify(): { can: boolean; notify: boolean; toggle(): void } {
  const can = 'Notification' in window;
  const [notify, setNotify] = useState(
    () => can && Notification.permission === 'granted' && readChoice(chosen) === 'yes',
  );
  const toggle = async () => {
    const next = !notify && (await Notification.requestPermission()) === 'granted';
    keepChoice(chosen, next ? 'yes' : 'no');
    setNotify(next);
  };
  return { can, notify, toggle: () => void toggle() };
}
