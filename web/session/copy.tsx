// Copying: a button beside a value, and a block of text that can be copied whole.

import { ActionIcon, CopyButton, Tooltip } from '@mantine/core';
import { useWords } from '../ui/languages.ts';
import { Icon } from './icons.tsx';
import styles from './pane.module.css';
import { paneWords } from './words.ts';

/** `label` names what is copied, for those who do not see where the button stands. */
export function CopyAction({ value, label }: { value: string; label: string }) {
  const say = useWords(paneWords);
  return (
    <CopyButton value={value} timeout={1_500}>
      {({ copied, copy }) => (
        <Tooltip label={copied ? say('copied') : say('copy')} withArrow>
          <ActionIcon
            variant="subtle"
            color={copied ? 'teal' : 'gray'}
            size={24}
            aria-label={`${copied ? say('copied') : say('copy')}: ${label}`}
            onClick={copy}
          >
            <Icon name={copied ? 'check' : 'copy'} size={14} />
          </ActionIcon>
        </Tooltip>
      )}
    </CopyButton>
  );
}

/** A text of machines, from left to right in every language. */
export function Block({ text, label, isWrapped = false }: { text: string; label: string; isWrapped?: boolean }) {
  return (
    <div className={styles.block} dir="ltr">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and a keyboard must be able to */}
      <pre tabIndex={0} data-wrapped={isWrapped}>
        {text}
      </pre>
      <div className={styles.blockCopy}>
        <CopyAction value={text} label={label} />
      </div>
    </div>
  );
}
