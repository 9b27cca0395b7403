// The scenarios, each with its picture and a button that plays it. What is a number with a fate to a program is a story to a person.

import { Anchor, Button, Stack, Text, Title, VisuallyHidden } from '@mantine/core';
import { useWords, type Words } from '../../ui/languages.ts';
import { useDoor } from '../door/store.ts';
import { Picture } from './picture.tsx';
import { ProblemAlert } from './problem.tsx';
import { scenarioWords } from './scenario-words.ts';
import classes from './scenarios.module.css';
import { problemOf, useScenario } from './sending.ts';
import { isScenario, type ScenarioName, scenarioNames, secondsOf, stories, waitOf } from './stories.ts';

const words: Words<'send' | 'sendOf' | 'wait' | 'sms' | 'whatsapp' | 'voice' | 'record'> = {
  en: {
    send: 'Send',
    sendOf: 'Send: {name}',
    wait: 'waits {seconds} s',
    sms: 'SMS',
    whatsapp: 'SMS, then WhatsApp',
    voice: 'SMS, WhatsApp, then a call',
    record: 'Record a voice for the calls',
  },
  fr: {
    send: 'Envoyer',
    sendOf: 'Envoyer : {name}',
    wait: 'attend {seconds} s',
    sms: 'SMS',
    whatsapp: 'SMS, puis WhatsApp',
    voice: 'SMS, WhatsApp, puis un appel',
    record: 'Enregistrer une voix pour les appels',
  },
  ar: {
    send: 'إرسال',
    sendOf: 'إرسال: {name}',
    wait: 'ينتظر {seconds} ث',
    sms: 'رسالة قصيرة',
    whatsapp: 'رسالة قصيرة ثم واتساب',
    voice: 'رسالة قصيرة ثم واتساب ثم مكالمة',
    record: 'سجّل صوتاً للمكالمات',
  },
};

const groups = ['sms', 'whatsapp', 'voice'] as const;

/** By the last channel it comes to. */
const groupOf = (name: ScenarioName) => stories[name].at(-1)?.channel ?? 'sms';

export function Scenarios() {
  const { numbers } = useDoor();
  const say = useWords(words);
  const known = scenarioNames.filter((name) => name in numbers || Object.keys(numbers).length === 0);
  return (
    <Stack gap="lg">
      {groups.map((group) => (
        <section key={group} aria-label={say(group)}>
          <Title order={2} className={classes.group}>
            {say(group)}
          </Title>
          <ul className={classes.list}>
            {known
              .filter((name) => groupOf(name) === group)
              .map((name) => (
                <Scenario key={name} name={name} number={numbers[name]} />
              ))}
          </ul>
        </section>
      ))}
      <Others />
      <Anchor href="sandbox/recorder" size="sm" lh={1.75} c="var(--mantine-color-text)" underline="always">
        {say('record')}
      </Anchor>
    </Stack>
  );
}

function Scenario({ name, number }: { name: ScenarioName; number: string | undefined }) {
  const { send, isPending, error } = useScenario(name, number);
  const say = useWords(words);
  const tell = useWords(scenarioWords);
  const problem = problemOf(error);
  const waits = waitOf(name);
  return (
    <li className={classes.card} data-scenario={name}>
      <div className={classes.top}>
        <Picture steps={stories[name]} seconds={secondsOf(name)} />
        <Button
          size="compact-sm"
          radius="xl"
          variant="light"
          className={classes.send}
          loading={isPending}
          disabled={number === undefined}
          onClick={send}
          aria-label={say('sendOf', { name: tell(name) })}
        >
          {say('send')}
        </Button>
      </div>
      <Text fw={600} size="sm" mt={8}>
        {tell(name)}
      </Text>
      <Text size="xs" c="dimmed">
        {tell(`${name}_line`)}
        {waits.length > 0 && <VisuallyHidden> {say('wait', { seconds: waits.join(' + ') })}</VisuallyHidden>}
      </Text>
      {problem && <ProblemAlert problem={problem} />}
    </li>
  );
}

/** Scenarios of a sandbox that is newer than this page: by their own description, without a picture. */
function Others() {
  const { scenarios } = useDoor();
  const others = scenarios.filter(({ name }) => !isScenario(name));
  if (others.length === 0) return null;
  return (
    <ul className={classes.list}>
      {others.map(({ name, number, description }) => (
        <li key={name} className={classes.card}>
          <Text fw={600} size="sm">
            {name}
          </Text>
          <Text size="xs" c="dimmed">
            {description} {number}
          </Text>
        </li>
      ))}
    </ul>
  );
}
