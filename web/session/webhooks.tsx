// The webhooks of a session as the sandbox's endpoint received them: what they say, whether their signature is right, and what was answered.

import { Badge, Group, Text } from '@mantine/core';
import { useWords } from '../ui/languages.ts';
import { Block } from './copy.tsx';
import { clockTime, pretty } from './format.ts';
import { Icon } from './icons.tsx';
import styles from './pane.module.css';
import { eventOf, type ReceivedWebhook } from './types.ts';
import { paneWords } from './words.ts';

export function Webhooks({ webhooks }: { webhooks: readonly ReceivedWebhook[] }) {
  const say = useWords(paneWords);
  if (webhooks.length === 0)
    return (
      <Text c="dimmed" fz="sm">
        {say('noWebhooks')}
      </Text>
    );
  return (
    <div className={styles.list}>
      {webhooks.map((webhook) => (
        <WebhookView key={webhook.id} webhook={webhook} tries={triesBefore(webhook, webhooks)} />
      ))}
    </div>
  );
}

/** Deliveries of the same event that came before it: the endpoint answered them with an error. `webhooks` are newest first. */
function triesBefore(webhook: ReceivedWebhook, webhooks: readonly ReceivedWebhook[]): number {
  const eventId = webhook.headers['webhook-id'];
  return webhooks.slice(webhooks.indexOf(webhook) + 1).filter(({ headers }) => headers['webhook-id'] === eventId)
    .length;
}

function WebhookView({ webhook, tries }: { webhook: ReceivedWebhook; tries: number }) {
  const say = useWords(paneWords);
  const { verified, answered, body, headers, received_at } = webhook;
  const { type, session_sequence } = eventOf(webhook);
  const isTaken = answered >= 200 && answered < 300;
  return (
    <details className={styles.card}>
      <summary className={styles.webhook}>
        <span className={styles.sequence}>{session_sequence ?? '–'}</span>
        <span className={styles.webhookType} dir="ltr">
          {type ?? '?'}
        </span>
        <span className={styles.webhookFacts}>
          {tries > 0 && (
            <Text span fz="xs" c="dimmed">
              {say('retried', { count: tries + 1 })}
            </Text>
          )}
          <span
            className={styles.signature}
            data-tone={verified ? 'good' : 'bad'}
            role="img"
            aria-label={say(verified ? 'signed' : 'unsigned')}
            title={say(verified ? 'signed' : 'unsigned')}
          >
            <Icon name={verified ? 'shield' : 'shield_bad'} size={15} />
          </span>
          <Badge
            variant="light"
            radius="sm"
            ff="monospace"
            color={isTaken ? 'teal' : 'red'}
            data-color={isTaken ? 'teal' : 'red'}
            className={styles.badge}
          >
            {answered}
          </Badge>
          <time className={styles.time} dateTime={received_at}>
            {clockTime(received_at)}
          </time>
        </span>
      </summary>
      <Group gap="xs" className={styles.verdict} data-tone={verified ? 'good' : 'bad'}>
        <Text fz="xs">{say(verified ? 'signed' : 'unsigned')}</Text>
        <Text fz="xs" c="dimmed">
          {say('answered', { status: answered })}
        </Text>
      </Group>
      <Text fz="xs" fw={600}>
        {say('body')}
      </Text>
      <Block text={pretty(body)} label={say('body')} />
      <details className={styles.fold}>
        <summary>{say('headers')}</summary>
        <Block text={headerLines(headers)} label={say('headers')} isWrapped />
      </details>
    </details>
  );
}

const headerLines = (headers: ReceivedWebhook['headers']): string =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');
