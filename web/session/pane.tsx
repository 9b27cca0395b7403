// The right pane of the phones page: one session, live. What happened to it as a picture, then its receipts, its webhooks, and itself as JSON.

import { Badge, Loader, Tabs, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useWords } from '../ui/languages.ts';
import { Actions } from './actions.tsx';
import { Block } from './copy.tsx';
import { useNewest, useSession, useWebhooks } from './follow.ts';
import { Header } from './header.tsx';
import styles from './pane.module.css';
import { Receipts } from './receipts.tsx';
import { Picture } from './timeline/picture.tsx';
import type { ReceivedWebhook, Selected, SessionJson } from './types.ts';
import { Webhooks } from './webhooks.tsx';
import { paneWords } from './words.ts';

export interface SessionPaneProps {
  selected: Selected;
  /** The newest webhooks that the sandbox's endpoint received, in any order. */
  webhooks: readonly ReceivedWebhook[];
  /** Address of the service's HTTP door, for the call to paste. */
  address?: string | undefined;
}

export function SessionPane({ selected, webhooks, address = 'http://127.0.0.1:8080' }: SessionPaneProps) {
  const say = useWords(paneWords);
  if (selected === null) return <Empty title={say('empty')} hint={say('emptyHint')} />;
  if ('sessionId' in selected) {
    return <Followed key={selected.sessionId} id={selected.sessionId} webhooks={webhooks} address={address} />;
  }
  return <Newest to={selected.to} webhooks={webhooks} address={address} />;
}

function Newest({ to, webhooks, address }: { to: string; webhooks: readonly ReceivedWebhook[]; address: string }) {
  const say = useWords(paneWords);
  const { id, isPending, error } = useNewest(to, webhooks);
  if (id !== null) return <Followed key={id} id={id} webhooks={webhooks} address={address} />;
  if (error) return <Empty title={say('noService')} />;
  return isPending ? (
    <Empty title={say('looking')} isBusy />
  ) : (
    <Empty title={say('noneYet', { to })} hint={say('emptyHint')} />
  );
}

function Followed({ id, webhooks, address }: { id: string; webhooks: readonly ReceivedWebhook[]; address: string }) {
  const say = useWords(paneWords);
  const { session, link } = useSession(id, webhooks);
  const own = useWebhooks(id, webhooks);
  if (!session) {
    if (link === 'gone') return <Empty title={say('gone')} />;
    return <Empty title={say(link === 'reconnecting' ? 'noService' : 'looking')} isBusy />;
  }
  return (
    <article className={styles.pane} aria-label={say('session')}>
      <Header session={session} link={link} />
      <Picture session={session} />
      <Actions session={session} />
      <Details session={session} webhooks={own} address={address} />
    </article>
  );
}

function Details({
  session,
  webhooks,
  address,
}: {
  session: SessionJson;
  webhooks: readonly ReceivedWebhook[];
  address: string;
}) {
  const say = useWords(paneWords);
  const receipts = session.messages.reduce((sum, message) => sum + message.receipts.length, 0);
  const curl = `curl -s ${address}/v1/verify/sessions/${session.id} \\\n  -H "Authorization: Bearer $KEY"`;
  return (
    <Tabs defaultValue="receipts" keepMounted={false} classNames={{ tab: styles.tab ?? '', panel: styles.panel ?? '' }}>
      <Tabs.List>
        <Tabs.Tab value="receipts" rightSection={<Count of={receipts} />}>
          {say('receipts')}
        </Tabs.Tab>
        <Tabs.Tab value="webhooks" rightSection={<Count of={webhooks.length} />}>
          {say('webhooks')}
        </Tabs.Tab>
        <Tabs.Tab value="json">{say('asJson')}</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="receipts">
        <Receipts session={session} />
      </Tabs.Panel>
      <Tabs.Panel value="webhooks">
        <Webhooks webhooks={webhooks} />
      </Tabs.Panel>
      <Tabs.Panel value="json">
        <Text fz="xs" c="dimmed">
          {say('curlHint')}
        </Text>
        <Block text={curl} label={say('curl')} isWrapped />
        <Block text={JSON.stringify(session, null, 2)} label={say('asJson')} />
      </Tabs.Panel>
    </Tabs>
  );
}

const Count = ({ of }: { of: number }): ReactNode => (
  <Badge size="sm" variant="light" color="gray" circle className={styles.badge}>
    {of}
  </Badge>
);

/** Lanes without a story. */
const EmptyPicture = () => (
  <svg width="132" height="76" viewBox="0 0 132 76" aria-hidden="true" className={styles.emptyPicture}>
    <rect x="1" y="1" width="48" height="16" rx="5" />
    <rect x="49" y="30" width="40" height="16" rx="5" />
    <rect x="89" y="59" width="42" height="16" rx="5" />
    <path d="M49 19v9M46 25l3 4 3-4M89 48v9M86 54l3 4 3-4" />
  </svg>
);

function Empty({ title, hint, isBusy = false }: { title: string; hint?: string; isBusy?: boolean }) {
  return (
    <div className={styles.empty} role="status">
      {isBusy ? <Loader size="sm" /> : <EmptyPicture />}
      <Text fw={600}>{title}</Text>
      {hint && (
        <Text fz="sm" c="dimmed" maw={320}>
          {hint}
        </Text>
      )}
    </div>
  );
}
