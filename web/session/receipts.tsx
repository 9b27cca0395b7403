// The messages of a session with their receipts: the carrier's own words and time beside ours, error codes, and what each one costs.

import { Badge, Group, Text } from '@mantine/core';
import { useContext } from 'react';
import { timeOf } from '../../src/story/shapes.ts';
import { LanguageContext, useWords } from '../ui/languages.ts';
import { Block } from './copy.tsx';
import { carrierTime, clockTime, pretty, span } from './format.ts';
import { channelIcon, Icon } from './icons.tsx';
import styles from './pane.module.css';
import { type PictureWord, pictureWord, wordOr } from './timeline/words.ts';
import type { CostJson, MessageJson, ReceiptJson, SessionJson } from './types.ts';
import { paneWords } from './words.ts';

export function Receipts({ session: { messages, total_cost } }: { session: SessionJson }) {
  const say = useWords(paneWords);
  if (messages.length === 0)
    return (
      <Text c="dimmed" fz="sm">
        {say('noMessages')}
      </Text>
    );
  return (
    <div className={styles.list}>
      {messages.map((message) => (
        <MessageView key={message.id} message={message} />
      ))}
      <Group justify="space-between" className={styles.total}>
        <Text fz="sm" fw={600}>
          {say('total')}
        </Text>
        <Text fz="sm" fw={600} component="div" className={styles.number}>
          {total_cost.length === 0 && <span>{say('free')}</span>}
          {total_cost.map((cost) => (
            <div key={cost.currency}>
              <Price cost={cost} />
            </div>
          ))}
        </Text>
      </Group>
    </div>
  );
}

function MessageView({ message }: { message: MessageJson }) {
  const { language } = useContext(LanguageContext);
  const say = useWords(paneWords);
  const { channel, operator, receipts, cost, sender_id, provider_message_id } = message;
  return (
    <section className={styles.card}>
      <Group justify="space-between" gap="xs" wrap="nowrap" align="flex-start">
        <Group gap={6} wrap="nowrap">
          <Icon name={channelIcon(channel)} />
          <Text fz="sm" fw={600} component="h3">
            {[wordOr(language, channel, channel), operator].filter(Boolean).join(' · ')}
          </Text>
        </Group>
        <Text fz="sm" component="div" className={styles.number}>
          {cost && <Price cost={cost} />}
        </Text>
      </Group>
      <Text fz="xs" c="dimmed" component="div" className={styles.facts}>
        {sender_id && (
          <span>
            {say('sender')} <bdi>{sender_id}</bdi>
          </span>
        )}
        {provider_message_id && (
          <span className={styles.longFact}>
            {say('provider')} <bdi className={styles.mono}>{provider_message_id}</bdi>
          </span>
        )}
      </Text>
      {receipts.length === 0 && (
        <Text fz="xs" c="dimmed">
          {say('noReceipts')}
        </Text>
      )}
      {receipts.map((receipt, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: receipts are only ever added at the end
        <ReceiptView key={index} receipt={receipt} />
      ))}
    </section>
  );
}

const colors: Readonly<Record<string, string>> = { DELIVRD: 'teal', ENROUTE: 'gray', ACCEPTD: 'gray', UNKNOWN: 'gray' };

function ReceiptView({ receipt }: { receipt: ReceiptJson }) {
  const { language } = useContext(LanguageContext);
  const say = useWords(paneWords);
  const { status, provider_status, error_code, operator_timestamp, received_at, call, raw } = receipt;
  const theirsMs = timeOf(operator_timestamp);
  const theirs = carrierTime(operator_timestamp);
  const afterMs = theirsMs === null || !theirs.isToTheSecond ? -1 : (timeOf(received_at) ?? 0) - theirsMs;
  const color = colors[status] ?? 'red';
  return (
    <div className={styles.receipt}>
      <Group gap={6}>
        <Badge
          variant="light"
          color={color}
          data-color={color}
          radius="sm"
          tt="none"
          ff="monospace"
          className={styles.badge}
        >
          {provider_status || status}
        </Badge>
        {provider_status && (
          <Text span fz="xs" c="dimmed" ff="monospace">
            {status}
          </Text>
        )}
        {error_code && (
          <Text span fz="xs">
            {say('error')} <bdi className={styles.mono}>{error_code}</bdi>
          </Text>
        )}
      </Group>
      <dl className={styles.times}>
        {operator_timestamp && (
          <>
            <dt>{say('operatorTime')}</dt>
            <dd>{theirs.text}</dd>
          </>
        )}
        <dt>{say('receivedAt')}</dt>
        <dd>
          {clockTime(received_at)}
          {afterMs >= 0 && <span className={styles.after}> (+{span(afterMs, language)})</span>}
        </dd>
      </dl>
      {call && <CallFacts call={call} />}
      <details className={styles.fold}>
        <summary>{say('raw')}</summary>
        <Block text={pretty(raw)} label={say('raw')} isWrapped />
      </details>
    </div>
  );
}

/** The course of a call up to this receipt. */
function CallFacts({ call }: { call: NonNullable<ReceiptJson['call']> }) {
  const { language } = useContext(LanguageContext);
  const say = (key: PictureWord, values = {}) => pictureWord(language, key, values);
  const facts = [
    call.trunk,
    call.ring_ms == null ? '' : say('rang', { time: span(call.ring_ms, language) }),
    call.talk_seconds ? say('talked', { time: span(call.talk_seconds * 1_000, language) }) : '',
    call.readings ? say('readings', { count: call.readings }) : '',
    call.keys > 0 ? say('keys', { count: call.keys }) : '',
    call.sip_code ? `SIP ${call.sip_code}` : '',
  ];
  return (
    <Text fz="xs" c="dimmed" component="div" className={styles.facts}>
      {facts.filter(Boolean).map((fact) => (
        <bdi key={fact}>{fact}</bdi>
      ))}
    </Text>
  );
}

function Price({ cost }: { cost: Pick<CostJson, 'amount' | 'currency' | 'final'> }) {
  const say = useWords(paneWords);
  return (
    <>
      <bdi>
        {cost.amount} {cost.currency}
      </bdi>{' '}
      <Text span fz="xs" c="dimmed">
        {say(cost.final ? 'final' : 'notFinal')}
      </Text>
    </>
  );
}
