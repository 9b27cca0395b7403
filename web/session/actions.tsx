// What can be done with a session: check a code, send it again, cancel it. Each answer is said in plain words under the buttons.

import { useMutation } from '@connectrpc/connect-query';
import { Button, Group, Text, TextInput } from '@mantine/core';
import { type FormEvent, useContext, useState } from 'react';
import { VerifyService } from '../../src/gen/ramz/v1/verify_pb.ts';
import { timeOf } from '../../src/story/shapes.ts';
import { LanguageContext, useWords } from '../ui/languages.ts';
import { calmMs, useNow } from '../ui/now.ts';
import { countdown } from './format.ts';
import styles from './pane.module.css';
import { plainError, wordIn } from './plain-words.ts';
import type { SessionJson } from './types.ts';
import { paneWords } from './words.ts';

interface Said {
  tone: 'good' | 'bad';
  text: string;
}

export function Actions({ session }: { session: SessionJson }) {
  const { language } = useContext(LanguageContext);
  const say = useWords(paneWords);
  const [said, setSaid] = useState<Said | null>(null);
  const [code, setCode] = useState('');
  const onError = (error: unknown) => setSaid({ tone: 'bad', text: plainError(language, error) });
  const onMutate = () => setSaid(null);
  const check = useMutation(VerifyService.method.check, {
    onMutate,
    onError,
    onSuccess: ({ valid, reason }) => {
      if (valid) setCode('');
      setSaid(valid ? { tone: 'good', text: say('valid') } : { tone: 'bad', text: wordIn(language, 'check', reason) });
    },
  });
  const send = useMutation(VerifyService.method.send, { onMutate, onError });
  const cancel = useMutation(VerifyService.method.cancelSession, { onMutate, onError });
  const { id, to, purpose, status } = session;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const digits = code.replace(/\s/g, '');
    if (digits) check.mutate({ session: { case: 'id', value: id }, code: digits });
  };
  if (status !== 'pending' && !said) return null;
  return (
    <section className={styles.actions}>
      {status === 'pending' && (
        <Group gap="xs" align="center">
          <form onSubmit={submit} className={styles.check}>
            <TextInput
              size="xs"
              aria-label={say('checkPlaceholder')}
              placeholder={say('checkPlaceholder')}
              value={code}
              onChange={(event) => setCode(event.currentTarget.value)}
              inputMode="numeric"
              autoComplete="one-time-code"
              classNames={{ input: styles.codeInput ?? '' }}
            />
            <Button type="submit" size="xs" loading={check.isPending} disabled={code.trim() === ''}>
              {say('check')}
            </Button>
          </form>
          <Group gap={6}>
            <Resend session={session} isBusy={send.isPending} onClick={() => send.mutate({ to, purpose })} />
            <Button size="xs" variant="default" loading={cancel.isPending} onClick={() => cancel.mutate({ id })}>
              {say('cancel')}
            </Button>
          </Group>
        </Group>
      )}
      <Text role="status" fz="sm" className={styles.said} data-tone={said?.tone}>
        {said?.text ?? ''}
      </Text>
    </section>
  );
}

/** It says how long it is to be waited for; when no further send is possible, it is gone. */
function Resend({ session, isBusy, onClick }: { session: SessionJson; isBusy: boolean; onClick(): void }) {
  const say = useWords(paneWords);
  const atMs = timeOf(session.resend_after);
  const nowMs = useNow(atMs !== null && atMs > Date.now() - calmMs, calmMs);
  if (atMs === null) return null;
  const leftMs = atMs - nowMs;
  return (
    <Button size="xs" variant="default" loading={isBusy} disabled={leftMs > 0} onClick={onClick}>
      {leftMs > 0 ? say('resendIn', { time: countdown(leftMs) }) : say('resend')}
    </Button>
  );
}
