// What calls a person back to the page: a count in the title while the tab is hidden, and notifications where they were asked for.

import { useEffect, useRef, useState } from 'react';
import { useWords } from '../ui/languages.ts';
import { arrivals } from './door/state.ts';
import { listen } from './door/store.ts';
import { shownNumber } from './phones/numbers.ts';
import { phoneWords } from './phones/words.ts';
import { titleOf } from './unread.ts';

const chosen = 'ramz-notify';

/** Keeps the title, and notifies while `notify`. */
export function useAttention(notify: boolean): void {
  const say = useWords(phoneWords);
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
      if (!document.hidden) return;
      const arrived = arrivals(before, after);
      unread.current += arrived.length;
      show();
      const newest = arrived.at(-1);
      if (!notify || !newest) return;
      const number = shownNumber(newest.to);
      const app = 'channel' in newest && newest.channel === 'whatsapp' ? 'WhatsApp' : 'SMS';
      const text = 'text' in newest ? say('arrived', { app, from: newest.from, number }) : say('rings', { number });
      const notification = new Notification('Ramz', { body: text, tag: `${newest.to} ${newest.id}` });
      notification.onclick = () => window.focus();
    });
    return () => {
      end();
      document.removeEventListener('visibilitychange', seen);
    };
  }, [notify, say]);
}

/** Whether the person wants notifications: asked by the button and at no other time. */
export function useNotify(): { can: boolean; notify: boolean; toggle(): void } {
  const can = 'Notification' in window;
  const [notify, setNotify] = useState(
    () => can && Notification.permission === 'granted' && localStorage.getItem(chosen) === 'yes',
  );
  const toggle = async () => {
    const next = !notify && (await Notification.requestPermission()) === 'granted';
    localStorage.setItem(chosen, next ? 'yes' : 'no');
    setNotify(next);
  };
  return { can, notify, toggle: () => void toggle() };
}
