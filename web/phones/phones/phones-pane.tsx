// The middle: the network above, the phones side by side below, or an invitation while there is none.

import { Text } from '@mantine/core';
import { useMemo } from 'react';
import { useWords, type Words } from '../../ui/languages.ts';
import { useDoor } from '../door/store.ts';
import { Moods } from '../network/moods.tsx';
import { usePage } from '../page-state.tsx';
import { Tools } from '../tools.tsx';
import { Device } from './device.tsx';
import { FirstVisit } from './first-visit.tsx';
import { matches } from './numbers.ts';
import { phonesOf } from './phones.ts';
import classes from './phones-pane.module.css';
import { usePlaces } from './places.ts';
import { phoneWords } from './words.ts';

const words: Words<'phones' | 'none'> = {
  en: {
    phones: 'Phones',
    none: 'No phone has “{filter}” in its number.',
  },
  fr: {
    phones: 'Téléphones',
    none: 'Aucun téléphone n’a « {filter} » dans son numéro.',
  },
  ar: {
    phones: 'الهواتف',
    none: 'لا هاتف في رقمه «{filter}».',
  },
};

/** Phones drawn at once: each is a few hundred elements. */
const mostShown = 24;

export function PhonesPane() {
  const door = useDoor();
  const { sent, filter } = usePage();
  const say = useWords(words);
  const sayOfPhones = useWords(phoneWords);
  const { messages, calls } = door;
  const all = useMemo(() => phonesOf({ messages, calls }, sent), [messages, calls, sent]);
  const phones = all.filter(({ number }) => matches(number, filter));
  const { shown, around } = usePlaces(phones, mostShown);
  const hidden = phones.length - shown.length;
  return (
    <>
      <div className={classes.bar}>
        <Moods />
        <div className={classes.narrow}>
          <Tools />
        </div>
      </div>
      <h2 className={classes.title}>{say('phones')}</h2>
      {all.length === 0 && door.connection !== 'connecting' && <FirstVisit />}
      {all.length > 0 && phones.length === 0 && (
        <Text c="dimmed" ta="center" mt="xl">
          {say('none', { filter })}
        </Text>
      )}
      <div className={classes.phones} ref={around}>
        {shown.map((phone) => (
          <Device key={phone.number} phone={phone} />
        ))}
      </div>
      {hidden > 0 && (
        <Text c="dimmed" ta="center" size="sm">
          {sayOfPhones('more', { count: hidden })}
        </Text>
      )}
    </>
  );
}
