// What fills a phone's screen, with its name: a group and no landmark, because two dozen phones would make as many landmarks.

import type { ComponentProps } from 'react';

interface ScreenProps extends ComponentProps<'div'> {
  label: string;
  'data-state'?: string;
}

export function Screen({ label, ...rest }: ScreenProps) {
  // biome-ignore lint/a11y/useSemanticElements: there are no fields in it.
  return <div role="group" aria-label={label} {...rest} />;
}
