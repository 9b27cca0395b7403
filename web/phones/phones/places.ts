// The places of the phones on the page: newest first. While a person is at them, by pointer or focus, none that is there moves to another
// place: a click would go to its neighbour or nowhere, and an element that moves in the document loses the focus.

import { useFocusWithin, useHover, useMergedRef } from '@mantine/hooks';
import { type RefCallback, useState } from 'react';
import { type Numbered, placed } from './phones.ts';

interface Places<P> {
  /** `most` at most. */
  shown: P[];
  /** Of the element around them. */
  around: RefCallback<HTMLElement>;
}

export function usePlaces<P extends Numbered>(newest: readonly P[], most: number): Places<P> {
  const pointer = useHover();
  const focus = useFocusWithin();
  const around = useMergedRef(pointer.ref, focus.ref);
  const [held, setHeld] = useState<readonly string[]>([]);
  const shown = placed(newest, pointer.hovered || focus.focused ? held : [], most);
  // What comes while a person is there keeps its place from then on, too.
  if (!isSame(shown, held)) setHeld(shown.map(({ number }) => number));
  return { shown, around };
}

const isSame = (phones: readonly Numbered[], held: readonly string[]) =>
  phones.length === held.length && phones.every(({ number }, at) => number === held[at]);
