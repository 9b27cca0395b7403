// One mark of the picture: a button, so that a keyboard reaches it, with its details in a tooltip at hover and focus.

import { Tooltip } from '@mantine/core';
import { type CSSProperties, memo } from 'react';
import type { Mark } from '../../../src/story/story.ts';
import { Icon } from '../icons.tsx';
import { type Description, iconOf } from './describe.ts';
import styles from './picture.module.css';

const markPx = 20;

interface MarkProps {
  mark: Mark;
  about(mark: Mark): Description;
}

/** `px`: from the start of the line to its middle. While the picture moves it alone changes, and the rest is not made anew. */
export function MarkButton({ px, ...rest }: MarkProps & { px: number }) {
  return (
    <span className={styles.place} style={{ '--start': `${px - markPx / 2}px` } as CSSProperties}>
      <Detailed {...rest} />
    </span>
  );
}

const Detailed = memo(({ mark, about }: MarkProps) => {
  const { title, lines } = about(mark);
  return (
    <Tooltip
      multiline
      // Inside the page's landmarks, and in the order of its reading.
      withinPortal={false}
      withArrow
      maw={300}
      events={{ hover: true, focus: true, touch: true }}
      transitionProps={{ duration: 100 }}
      label={
        <span className={styles.details}>
          <strong>{title}</strong>
          {lines.map((line) => (
            <span key={line}>
              <bdi>{line}</bdi>
            </span>
          ))}
        </span>
      }
    >
      <button
        type="button"
        className={styles.mark}
        data-tone={mark.tone}
        data-kind={mark.kind}
        aria-label={[title, ...lines].join('. ')}
      >
        <Icon name={iconOf(mark)} size={12} />
      </button>
    </Tooltip>
  );
});
