// The head of the pane: whose session it is, how it stands, and what is left of its tries and its time.

import { Badge, Group, Text } from '@mantine/core';
import { useContext } from 'react';
import { timeOf } from '../../src/story/shapes.ts';
import { LanguageContext, useWords } from '../ui/languages.ts';
import { calmMs, useNow } from '../ui/now.ts';
import { CopyAction } from './copy.tsx';
import type { Link } from './follow.ts';
import { countdown } from './format.ts';
import styles from './pane.module.css';
import { plainWord, wordIn } from './plain-words.ts';
import type { SessionJson } from './types.ts';
import { paneWords } from './words.ts';

const colors: Readonly<Record<string, string>> = {
  pending: 'blue',
  verified: 'teal',
  expired: 'orange',
  canceled: 'gray',
  failed: 'red',
  sending: 'blue',
  delivered: 'teal',
  exhausted: 'orange',
};

export function Header({ session, link }: { session: SessionJson; link: Link }) {
  const { language } = useContext(LanguageContext);
  const say = useWords(paneWords);
  const { id, to, status, status_reason, delivery, test } = session;
  return (
    <header className={styles.header}>
      <Group justify="space-between" wrap="nowrap" gap="xs">
        <Text component="h2" fw={700} fz="lg" dir="ltr" className={styles.number}>
          {to}
        </Text>
        <LinkState link={link} />
      </Group>
      <Group gap={4} wrap="nowrap">
        <Text ff="monospace" fz="xs" c="dimmed" dir="ltr" truncate>
          {id}
        </Text>
        <CopyAction value={id} label={say('session')} />
      </Group>
      <Group gap={6}>
        <State word={status}>{plainWord(language, status)}</State>
        {status_reason && <State word={status}>{wordIn(language, 'status', status_reason)}</State>}
        {/* Once the session is over nothing is on its way. */}
        {!(delivery === 'sending' && status !== 'pending') && (
          <State word={delivery}>{plainWord(language, delivery)}</State>
        )}
        {test && <State word="">{say('testKey')}</State>}
      </Group>
      {status === 'pending' && <Left session={session} />}
    </header>
  );
}

function State({ word, children }: { word: string; children: string }) {
  return (
    <Badge
      variant="light"
      color={colors[word] ?? 'gray'}
      tt="none"
      radius="sm"
      className={styles.badge}
      data-color={colors[word]}
    >
      {children}
    </Badge>
  );
}

function LinkState({ link }: { link: Link }) {
  const say = useWords(paneWords);
  const text = link === 'live' ? say('live') : link === 'reconnecting' ? say('reconnecting') : '';
  return (
    <span className={styles.link} data-link={link} role="status">
      {text}
    </span>
  );
}

/** What is left of the tries and the time. Its clock is its own, so that nothing else is drawn again for it. */
function Left({ session }: { session: SessionJson }) {
  const say = useWords(paneWords);
  const nowMs = useNow(true, calmMs);
  const leftMs = (timeOf(session.expires_at) ?? nowMs) - nowMs;
  return (
    <Text fz="xs" c="dimmed" className={styles.number}>
      {say('attempts', { count: session.attempts_remaining })}
      {' · '}
      {leftMs > 0 ? say('codeValid', { time: countdown(leftMs) }) : say('codeOver')}
    </Text>
  );
}
