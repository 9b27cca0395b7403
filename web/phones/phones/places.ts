// The places of the phones on the page: newest first. While a person is at them, by pointer or focus, none that is there moves to another
// place: a click would go to its neighbour or nowhere, and an element that moves in the document loses the focus.

import { type RefObject, useEffect, useRef, useState } from 'react';
import { type Numbered, placed } from './phones.ts';

interface Places<P> {
  /** `most` at most. */
  shown: P[];
  /** The element around them. */
  around: RefObject<HTMLDivElement | null>;
  /** Of the pointer. */
  enter(): void;
  leave(): void;
}

export function usePlaces<P extends Numbered>(newest: readonly P[], most: number): Places<P> {
  const around = useRef<HTMLDivElement>(null);
  const [isOver, setOver] = useState(false);
  const hasFocus = useFocusWithin(around);
  const [held, setHeld] = useState<readonly string[]>([]);
  const shown = placed(newest, isOver || hasFocus ? held : [], most);
  // What comes while a person is there keeps its place from then on, too.
  if (!isSame(shown, held)) setHeld(shown.map(({ number }) => number));
  return { shown, around, enter: () => setOver(true), leave: () => setOver(false) };
}

/** By the document's events: an element that is taken away while it has the focus tells nothing. */
function useFocusWithin(around: RefObject<HTMLElement | null>): boolean {
  const [hasFocus, setFocus] = useState(false);
  useEffect(() => {
    const look = ({ type, target, relatedTarget }: FocusEvent) => {
      const focused = type === 'focusin' ? target : relatedTarget;
      setFocus(around.current?.contains(focused as Node | null) === true);
    };
    document.addEventListener('focusin', look);
    document.addEventListener('focusout', look);
    return () => {
      document.removeEventListener('focusin', look);
      document.removeEventListener('focusout', look);
    };
  }, [around]);
  return hasFocus;
}

const isSame = (phones: readonly Numbered[], held: readonly string[]) =>
  phones.length === held.length && phones.every(({ number }, at) => number === held[at]);
