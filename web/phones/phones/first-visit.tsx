// What a first visitor sees: one big button, and as a picture what will happen after it.

import { Button, Group, Text, Title } from '@mantine/core';
import { useWords, type Words } from '../../ui/languages.ts';
import { useDoor } from '../door/store.ts';
import { Icon } from '../icons.tsx';
import { Picture } from '../send/picture.tsx';
import { ProblemAlert } from '../send/problem.tsx';
import { problemOf, useScenario } from '../send/sending.ts';
import { secondsOf, stories } from '../send/stories.ts';
import classes from './first-visit.module.css';

const words: Words<'title' | 'line' | 'send' | 'cascade' | 'picture'> = {
  en: {
    title: 'Send your first code',
    line: 'An SMS first. If no receipt comes, WhatsApp. If that fails too, a call reads the code out. These phones are part of the sandbox: nothing leaves this machine.',
    send: 'Send a code',
    cascade: 'Show me the whole cascade',
    picture:
      'A cascade: SMS without a receipt for four seconds, WhatsApp without success, then a call that is answered',
  },
  fr: {
    title: 'Envoyez votre premier code',
    line: 'D’abord un SMS. Sans accusé, WhatsApp. S’il échoue aussi, un appel dicte le code. Ces téléphones font partie du bac à sable : rien ne quitte cette machine.',
    send: 'Envoyer un code',
    cascade: 'Montrez-moi toute la cascade',
    picture: 'Une cascade : SMS sans accusé pendant quatre secondes, WhatsApp sans succès, puis un appel décroché',
  },
  ar: {
    title: 'أرسل رمزك الأول',
    line: 'رسالة قصيرة أولاً. إن لم يأت إشعار بالتسليم فواتساب، وإن تعذّر فمكالمة تقرأ الرمز. هذه الهواتف جزء من بيئة التجربة: لا شيء يغادر هذا الجهاز.',
    send: 'أرسل رمزاً',
    cascade: 'أرني التسلسل كله',
    picture: 'تسلسل: رسالة قصيرة بلا إشعار أربع ثوانٍ، ثم واتساب دون نجاح، ثم مكالمة يُرد عليها',
  },
};

export function FirstVisit() {
  const { numbers } = useDoor();
  const say = useWords(words);
  const first = useScenario('sms_delivered', numbers.sms_delivered);
  const whole = useScenario('app_unreachable', numbers.app_unreachable);
  const problem = problemOf(first.error ?? whole.error);
  return (
    <div className={classes.visit}>
      <div className={classes.picture} role="img" aria-label={say('picture')}>
        <Picture steps={stories.app_unreachable} seconds={secondsOf('app_unreachable')} size="large" />
      </div>
      <Title order={3} size="h2">
        {say('title')}
      </Title>
      <Text c="dimmed" maw={440}>
        {say('line')}
      </Text>
      <Group justify="center" gap="sm">
        <Button
          size="lg"
          radius="xl"
          loading={first.isPending}
          onClick={first.send}
          rightSection={<Icon name="plane" size={20} directed />}
        >
          {say('send')}
        </Button>
        <Button size="lg" radius="xl" variant="default" loading={whole.isPending} onClick={whole.send}>
          {say('cascade')}
        </Button>
      </Group>
      {problem && <ProblemAlert problem={problem} />}
    </div>
  );
}
