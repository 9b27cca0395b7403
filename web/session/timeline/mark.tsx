// One mark of the picture: a button, so that a keyboard reaches it, with its details in a tooltip at hover and focus.

import { Tooltip } from '@mantine/core';
import type { Mark } from '../../../src/story/story.ts';
import { Icon } from '../icons.tsx';
import { type Description, iconOf } from './describe.ts';
import styles from './picture.module.css';

const markPx = 20;

export function MarkButton({ mark, px, about }: { mark: Mark; px: number; about: Description }) {
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
          <strong>{about.title}</strong>
          {about.lines.map((line) => (
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
        style={{ insetInlineStart: px - markPx / 2 }}
        aria-label={[about.title, ...about.lines].join('. ')}
      >
        <Icon name={iconOf(mark)} size={12} />
      </button>
    </Tooltip>
  );
}
