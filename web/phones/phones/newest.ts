// A list whose newest entry is kept in view, as in every app of messages.

import { type RefObject, useEffect, useRef } from 'react';

export function useNewestInView<T extends HTMLElement>(count: number): RefObject<T | null> {
  const list = useRef<T>(null);
  useEffect(() => {
    if (count > 0 && list.current) list.current.scrollTop = list.current.scrollHeight;
  }, [count]);
  return list;
}
