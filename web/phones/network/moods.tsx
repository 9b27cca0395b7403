// How each operator, WhatsApp and the trunk behave, and the switches for it: the way to see what a cascade is for.

import { Button, Menu, Text, VisuallyHidden } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useWords } from '../../ui/languages.ts';
import type { Mood, MoodName } from '../door/events.ts';
import { order } from '../door/orders.ts';
import { useDoor } from '../door/store.ts';
import { Icon } from '../icons.tsx';
import { OrderAlert } from '../order-alert.tsx';
import { usePage } from '../page-state.tsx';
import { operatorNames } from '../phones/numbers.ts';
import { isMoodWord, moodWords } from './mood-words.ts';
import classes from './moods.module.css';

/** Mood → how bad: the colour of its dot. */
const tones: Record<MoodName, 'good' | 'wait' | 'bad'> = {
  well: 'good',
  slow: 'wait',
  throttling: 'wait',
  silent: 'bad',
  stuck: 'bad',
  unbinding: 'wait',
  refusing: 'bad',
  down: 'bad',
};

export function Moods() {
  const { moods } = useDoor();
  const { announce } = usePage();
  const say = useWords(moodWords);
  const change = useMutation({ mutationFn: (all: Pick<Mood, 'of' | 'mood'>[]) => Promise.all(all.map(set)) });
  const nameOf = (of: string) =>
    operatorNames[of] ?? (of === 'whatsapp' ? 'WhatsApp' : of === 'trunk' ? say('trunk') : of);
  const unwell = moods.filter(({ mood }) => mood !== 'well');
  const become = (of: string, mood: MoodName) =>
    change.mutate([{ of, mood }], { onSuccess: () => announce(`${nameOf(of)}: ${say(mood)}`) });
  if (moods.length === 0) return null;
  return (
    <section className={classes.moods} aria-label={say('network')}>
      {moods.map((one) => (
        <Switcher key={one.of} name={nameOf(one.of)} mood={one} become={(mood) => become(one.of, mood)} />
      ))}
      {unwell.length > 0 && (
        <Button
          size="compact-sm"
          fz="xs"
          radius="xl"
          loading={change.isPending}
          leftSection={<Icon name="check" size={14} />}
          onClick={() =>
            change.mutate(
              unwell.map(({ of }) => ({ of, mood: 'well' })),
              { onSuccess: () => announce(say('allWell')) },
            )
          }
        >
          {say('makeWell')}
        </Button>
      )}
      <OrderAlert error={change.error} />
    </section>
  );
}

const set = ({ of, mood }: Pick<Mood, 'of' | 'mood'>) => order({ action: 'mood', of, mood });

interface SwitcherProps {
  name: string;
  mood: Mood;
  become(mood: MoodName): void;
}

function Switcher({ name, mood: { mood, moods }, become }: SwitcherProps) {
  const say = useWords(moodWords);
  return (
    <Menu
      position="bottom-start"
      shadow="md"
      width={270}
      returnFocus
      // Inside the page's landmarks, and with nothing but items in it.
      withinPortal={false}
      withInitialFocusPlaceholder={false}
    >
      <Menu.Target>
        <button type="button" className={classes.chip} data-tone={tones[mood]}>
          <span className={classes.dot} data-tone={tones[mood]} />
          <span>{name}</span>
          {mood === 'well' ? (
            <VisuallyHidden>{say(mood)}</VisuallyHidden>
          ) : (
            <span className={classes.mood}>{say(mood)}</span>
          )}
          <Icon name="chevron" size={14} />
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        {moods.filter(isMoodWord).map((each) => (
          <Menu.Item
            key={each}
            aria-current={each === mood ? 'true' : undefined}
            leftSection={<span className={classes.dot} data-tone={tones[each]} />}
            rightSection={each === mood ? <Icon name="check" size={16} /> : null}
            onClick={() => become(each)}
          >
            <Text size="sm" fw={each === mood ? 600 : 400}>
              {say(each)}
            </Text>
            <Text size="xs" c="dimmed">
              {say(`${each}_line`)}
            </Text>
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
