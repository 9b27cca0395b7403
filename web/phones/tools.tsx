// What works on everything at once: the filter by number, and clearing. It stands in the bar at the top, or above the phones where that
// bar is too narrow.

import { Button, CloseButton, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useWords, type Words } from '../ui/languages.ts';
import { clearAll } from './door/orders.ts';
import { useDoor } from './door/store.ts';
import { Icon } from './icons.tsx';
import { OrderAlert } from './order-alert.tsx';
import { usePage } from './page-state.tsx';
import classes from './tools.module.css';

const words: Words<'filter' | 'noFilter' | 'clear' | 'cleared'> = {
  en: {
    filter: 'Filter by number',
    noFilter: 'Show all numbers',
    clear: 'Clear',
    cleared: 'Phones and webhooks are empty',
  },
  fr: {
    filter: 'Filtrer par numéro',
    noFilter: 'Tous les numéros',
    clear: 'Vider',
    cleared: 'Téléphones et webhooks vidés',
  },
  ar: {
    filter: 'ترشيح بالرقم',
    noFilter: 'كل الأرقام',
    clear: 'مسح',
    cleared: 'أُفرغت الهواتف وسجل الويب هوك',
  },
};

export function Tools() {
  const { messages, calls, webhooks } = useDoor();
  const { filter, setFilter, announce, sent, forgetAll } = usePage();
  const say = useWords(words);
  const clearing = useMutation({
    mutationFn: clearAll,
    onSuccess: () => {
      forgetAll();
      announce(say('cleared'));
    },
  });
  if ([messages, calls, webhooks, sent].every(({ length }) => length === 0)) return null;
  return (
    <div className={classes.tools}>
      <TextInput
        size="xs"
        radius="xl"
        inputMode="tel"
        dir="ltr"
        className={classes.filter}
        placeholder={say('filter')}
        aria-label={say('filter')}
        leftSection={<Icon name="search" size={15} />}
        rightSection={
          filter ? <CloseButton size="xs" aria-label={say('noFilter')} onClick={() => setFilter('')} /> : null
        }
        value={filter}
        onChange={(event) => setFilter(event.currentTarget.value)}
        onKeyDown={(event) => event.key === 'Escape' && setFilter('')}
      />
      <Button
        size="compact-sm"
        radius="xl"
        variant="default"
        fz="xs"
        loading={clearing.isPending}
        leftSection={<Icon name="bin" size={15} />}
        onClick={() => clearing.mutate()}
      >
        {say('clear')}
      </Button>
      <OrderAlert error={clearing.error} />
    </div>
  );
}
