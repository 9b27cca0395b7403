// One phone: its frame, the bar at its top, the app that is open, and the dock below. What arrives brings its app to the front, as a
// person would tap it; a tap on the dock opens another.

import { Switch, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useWords } from '../../ui/languages.ts';
import { order } from '../door/orders.ts';
import { useDoor } from '../door/store.ts';
import { OrderAlert } from '../order-alert.tsx';
import { useLookedAt, usePage } from '../page-state.tsx';
import { scenarioWords } from '../send/scenario-words.ts';
import { isScenario } from '../send/stories.ts';
import { CallScreen } from './call-screen.tsx';
import { CallsApp } from './calls-app.tsx';
import classes from './device.module.css';
import { Dock } from './dock.tsx';
import { LockScreen } from './lock-screen.tsx';
import { MessagesApp } from './messages-app.tsx';
import { operatorNames, operatorOf, shownNumber } from './numbers.ts';
import type { App, Phone } from './phones.ts';
import { StatusBar } from './status-bar.tsx';
import { WhatsAppApp } from './whatsapp-app.tsx';
import { phoneWords } from './words.ts';

/** The app in front: the one of the latest arrival, until a tap chooses another, until the next arrival. */
function useFront({ latest, sms, whatsapp, calls }: Phone): { front: App | null; open(app: App): void } {
  const arrived = sms.length + whatsapp.length + calls.length;
  const [chosen, setChosen] = useState<{ app: App; arrived: number } | null>(null);
  const front = chosen?.arrived === arrived ? chosen.app : latest;
  return { front, open: (app) => setChosen({ app, arrived }) };
}

/** How many of each app's entries have been in front. */
function useSeen({ sms, whatsapp, calls }: Phone, front: App | null): (app: App) => number {
  const counts: Record<App, number> = { sms: sms.length, whatsapp: whatsapp.length, voice: calls.length };
  const [seen, setSeen] = useState<Partial<Record<App, number>>>({});
  const frontCount = front ? counts[front] : 0;
  useEffect(() => {
    if (front) setSeen((before) => ({ ...before, [front]: frontCount }));
  }, [front, frontCount]);
  return (app) => (app === front ? 0 : Math.max(0, counts[app] - (seen[app] ?? 0)));
}

export function Device({ phone }: { phone: Phone }) {
  const { number, call } = phone;
  const { operators, numbers } = useDoor();
  const { select, sent } = usePage();
  const { marked } = useLookedAt();
  const say = useWords(phoneWords);
  const tell = useWords(scenarioWords);
  const { front, open } = useFront(phone);
  const unseen = useSeen(phone, front);
  const operator = operatorOf(number, operators);
  const scenario = Object.keys(numbers).find((name) => numbers[name] === number);
  const awaits = sent.some(({ to }) => to === number);
  const shown = shownNumber(number);
  return (
    <article
      className={classes.phone}
      aria-label={say('phone', { number: shown })}
      data-marked={marked === number || undefined}
    >
      <header className={classes.label}>
        <button
          type="button"
          className={classes.number}
          aria-pressed={marked === number}
          aria-label={say('show', { number: shown })}
          onClick={() => select({ to: number })}
        >
          <bdi dir="ltr">{shown}</bdi>
        </button>
        <Text span size="xs" c="dimmed" truncate>
          {scenario && isScenario(scenario) ? tell(scenario) : operator ? (operatorNames[operator] ?? operator) : ''}
        </Text>
      </header>
      {/* biome-ignore lint/a11y/noStaticElementInteractions lint/a11y/useKeyWithClickEvents: the number above does the same for keys. */}
      <div className={classes.frame} onClick={() => select({ to: number })}>
        <div className={classes.screen} data-app={call ? 'call' : (front ?? 'lock')}>
          <StatusBar operator={operator ? (operatorNames[operator] ?? operator) : ''} />
          {call ? (
            <CallScreen call={call} />
          ) : (
            <>
              {front === null && <LockScreen awaits={awaits} />}
              {front === 'sms' && <MessagesApp messages={phone.sms} />}
              {front === 'whatsapp' && <WhatsAppApp messages={phone.whatsapp} />}
              {front === 'voice' && <CallsApp calls={phone.calls} />}
              <Dock number={number} front={front} unseen={unseen} open={open} />
            </>
          )}
        </div>
      </div>
      <PersonSwitch number={number} />
    </article>
  );
}

/** Calls to the number wait for the person at the page. */
function PersonSwitch({ number }: { number: string }) {
  const { people } = useDoor();
  const say = useWords(phoneWords);
  const change = useMutation({
    mutationFn: (present: boolean) => order({ action: 'voice_person', to: number, present }),
  });
  return (
    <>
      <Switch
        size="xs"
        classNames={{ track: classes.track }}
        label={say('answerMyself')}
        checked={people.includes(number)}
        disabled={change.isPending}
        onChange={(event) => change.mutate(event.currentTarget.checked)}
      />
      <OrderAlert error={change.error} />
    </>
  );
}
