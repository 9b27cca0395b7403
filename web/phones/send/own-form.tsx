// A send of one's own: everything the API asks for, with a free number filled in, so that the first press of the button works.

import { Button, Group, NativeSelect, Stack, TextInput } from '@mantine/core';
import { type FormEvent, useContext, useState } from 'react';
import { LanguageContext, languageNames, languages, useWords } from '../../ui/languages.ts';
import { useDoor } from '../door/store.ts';
import { Icon } from '../icons.tsx';
import { usePage } from '../page-state.tsx';
import { freeNumber, operatorNames, typedNumber } from '../phones/numbers.ts';
import { CascadeFields, type LegChoice, presets } from './cascade-fields.tsx';
import { formWords } from './form-words.ts';
import { ProblemAlert, useProblemText } from './problem.tsx';
import { ownPurpose, problemOf, useSend } from './sending.ts';
import type { Channel } from './stories.ts';

/** The free number of the operator, beside those that stand on a phone already. */
function useFreeNumber(operatorId: string): string {
  const { operators, messages, calls } = useDoor();
  const { sent } = usePage();
  const operator = operators.find(({ id }) => id === operatorId) ?? operators[0];
  const used = new Set([...messages, ...calls, ...sent].map(({ to }) => to));
  return operator ? freeNumber(operator, used) : '';
}

export function OwnForm() {
  const { operators } = useDoor();
  const { language: pageLanguage } = useContext(LanguageContext);
  const say = useWords(formWords);
  const textOf = useProblemText();
  const { announce } = usePage();
  const sending = useSend();
  const [operator, setOperator] = useState('');
  const [typed, setTyped] = useState<string | null>(null);
  const [language, setLanguage] = useState('');
  const [senderId, setSenderId] = useState('');
  const [channel, setChannel] = useState<Channel | ''>('');
  const [legs, setLegs] = useState<LegChoice[]>([...presets.fast]);
  const free = useFreeNumber(operator || (operators[0]?.id ?? ''));
  const problem = problemOf(sending.error);
  const ofField = (field: string) => (problem?.field === field ? textOf(problem) : null);
  const known = ['to', 'sender_id', 'language', 'channel'];

  const submit = (event: FormEvent) => {
    event.preventDefault();
    const cascade = legs.filter(({ on }) => on).map(({ channel, timeoutSeconds }) => ({ channel, timeoutSeconds }));
    const to = typedNumber(typed ?? free);
    // A number that was offered may have an open session that this page no longer shows: it was cleared, or the sandbox was started again.
    const purpose = typed === null ? ownPurpose() : '';
    sending.mutate(
      { to, purpose, language: language || pageLanguage, senderId, channel, cascade },
      {
        onSuccess: () => setTyped(null),
        onError: (error) => {
          // What stands at a field is not read out by itself.
          const refused = problemOf(error);
          if (refused && known.includes(refused.field ?? '')) announce(textOf(refused));
        },
      },
    );
  };

  return (
    <form onSubmit={submit} noValidate aria-label={say('form')}>
      <Stack gap="sm">
        <NativeSelect
          label={say('operator')}
          value={operator || (operators[0]?.id ?? '')}
          onChange={(event) => {
            setOperator(event.currentTarget.value);
            setTyped(null);
          }}
          data={operators.map(({ id, prefixes }) => ({
            value: id,
            label: `${operatorNames[id] ?? id}  (${prefixes.join(', ')})`,
          }))}
        />
        <TextInput
          label={say('to')}
          description={say('toHint')}
          inputMode="tel"
          dir="ltr"
          value={typed ?? free}
          onChange={(event) => setTyped(event.currentTarget.value)}
          error={ofField('to')}
        />
        <Group grow align="start">
          <NativeSelect
            label={say('language')}
            value={language || pageLanguage}
            onChange={(event) => setLanguage(event.currentTarget.value)}
            data={languages.map((value) => ({ value, label: languageNames[value] }))}
            error={ofField('language')}
          />
          <TextInput
            label={say('sender')}
            placeholder="Ramz"
            maxLength={11}
            dir="ltr"
            value={senderId}
            onChange={(event) => setSenderId(event.currentTarget.value)}
            error={ofField('sender_id')}
          />
        </Group>
        <NativeSelect
          label={say('channel')}
          value={channel}
          onChange={(event) => setChannel(event.currentTarget.value as Channel | '')}
          data={[
            { value: '', label: say('firstOfCascade') },
            { value: 'sms', label: say('sms') },
            { value: 'whatsapp', label: 'WhatsApp' },
            { value: 'voice', label: say('voice') },
          ]}
          error={ofField('channel')}
        />
        <CascadeFields legs={legs} onChange={setLegs} />
        {problem && !known.includes(problem.field ?? '') && <ProblemAlert problem={problem} />}
        <Button type="submit" loading={sending.isPending} rightSection={<Icon name="plane" size={16} directed />}>
          {say('send')}
        </Button>
      </Stack>
    </form>
  );
}
