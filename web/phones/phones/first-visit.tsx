// What a first visitor sees: one big button, and as a picture what will happen after it.

import { Button, Text, Title } from '@mantine/core';
import { useWords, type Words } from '../../ui/languages.ts';
import { useDoor } from '../door/store.ts';
import { Icon } from '../icons.tsx';
import { Picture } from '../send/picture.tsx';
import { ProblemAlert } from '../send/problem.tsx';
import { problemOf, useScenario } from '../send/sending.ts';
import { secondsOf, stories } from '../send/stories.ts';
import classes from './first-visit.module.css';
import { LockClock } from './lock-screen.tsx';
import { StatusBar } from './status-bar.tsx';

const words: Words<'title' | 'line' | 'send' | 'cascade' | 'picture' | 'call' | 'code' | 'rings'> = {
  en: {
    title: 'Send your first code',
    line: 'First an SMS. No receipt? WhatsApp. No luck there? A call reads the code out. These phones are simulated: nothing leaves this machine.',
    send: 'Send a code',
    cascade: 'Show me the whole cascade',
    call: 'Call',
    code: 'Your code: {code}',
    rings: '“Your code is 4, 8, 1…”',
    picture:
      'A cascade: SMS without a receipt for four seconds, WhatsApp without success, then a call that is answered',
  },
  fr: {
    title: 'Envoyez votre premier code',
    line: 'D’abord un SMS. Pas d’accusé ? WhatsApp. Toujours rien ? Un appel dicte le code. Ces téléphones sont simulés : rien ne quitte cette machine.',
    send: 'Envoyer un code',
    cascade: 'Montrez-moi toute la cascade',
    call: 'Appel',
    code: 'Votre code : {code}',
    rings: '« Votre code : 4, 8, 1… »',
    picture: 'Une cascade : SMS sans accusé pendant quatre secondes, WhatsApp sans succès, puis un appel décroché',
  },
  ar: {
    title: 'أرسل رمزك الأول',
    line: 'رسالة قصيرة أولاً. لا إشعار بالتسليم؟ واتساب. تعذّر؟ مكالمة تقرأ الرمز. هذه هواتف محاكاة: لا شيء يغادر هذا الجهاز.',
    send: 'أرسل رمزاً',
    cascade: 'أرني التسلسل كله',
    call: 'مكالمة',
    code: 'رمزك: {code}',
    rings: '«رمزك: 4، 8، 1…»',
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
      <div className={classes.words}>
        <div className={classes.picture} role="img" aria-label={say('picture')}>
          <Picture steps={stories.app_unreachable} seconds={secondsOf('app_unreachable')} size="large" />
        </div>
        <Title order={3} className={classes.title}>
          {say('title')}
        </Title>
        <Text c="dimmed">{say('line')}</Text>
        <div className={classes.buttons}>
          <Button
            size="lg"
            radius="xl"
            loading={first.isPending}
            onClick={first.send}
            rightSection={<Icon name="plane" size={20} directed />}
          >
            {say('send')}
          </Button>
          <Button size="md" radius="xl" variant="default" loading={whole.isPending} onClick={whole.send}>
            {say('cascade')}
          </Button>
        </div>
        {problem && <ProblemAlert problem={problem} />}
      </div>
      <Preview />
    </div>
  );
}

/** A phone on which the three arrive one after another, as they will. */
function Preview() {
  const say = useWords(words);
  return (
    <div className={classes.preview} aria-hidden="true">
      <div className={classes.frame}>
        <div className={classes.screen}>
          <StatusBar operator="" />
          <LockClock />
          <ol className={classes.notices}>
            {previews.map(({ channel, icon, name }) => (
              <li key={channel} className={classes.notice}>
                <span className={classes.badge} data-channel={channel}>
                  <Icon name={icon} size={18} />
                </span>
                <span>
                  <b>{name ?? say('call')}</b>
                  <br />
                  {channel === 'voice' ? say('rings') : say('code', { code: '481 516' })}
                </span>
              </li>
            ))}
          </ol>
        </div>
      </div>
    </div>
  );
}

const previews = [
  { channel: 'sms', icon: 'sms', name: 'SMS' },
  { channel: 'whatsapp', icon: 'whatsapp', name: 'WhatsApp' },
  { channel: 'voice', icon: 'phone', name: null },
] as const;
