// The two choices that every page offers: language, and light or dark.

import { ActionIcon, Group, NativeSelect, useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { useContext } from 'react';
import { type Language, LanguageContext, languageNames, languages, useWords, type Words } from './languages.ts';

const words: Words<'language' | 'toLight' | 'toDark'> = {
  en: { language: 'Language', toLight: 'Switch to light', toDark: 'Switch to dark' },
  fr: { language: 'Langue', toLight: 'Passer au clair', toDark: 'Passer au sombre' },
  ar: { language: 'اللغة', toLight: 'التبديل إلى الوضع الفاتح', toDark: 'التبديل إلى الوضع الداكن' },
};

export function Choices() {
  const { language, choose } = useContext(LanguageContext);
  const { setColorScheme } = useMantineColorScheme();
  const scheme = useComputedColorScheme('light');
  const say = useWords(words);
  return (
    <Group gap="xs" wrap="nowrap">
      <NativeSelect
        aria-label={say('language')}
        size="xs"
        value={language}
        onChange={(event) => choose(event.currentTarget.value as Language)}
        data={languages.map((value) => ({ value, label: languageNames[value] }))}
      />
      <ActionIcon
        variant="default"
        size="md"
        aria-label={say(scheme === 'dark' ? 'toLight' : 'toDark')}
        onClick={() => setColorScheme(scheme === 'dark' ? 'light' : 'dark')}
      >
        <svg width="16" height="16" viewBox="0 0 16 16" aria-hidden="true">
          <circle cx="8" cy="8" r="6" fill="none" stroke="currentColor" strokeWidth="1.5" />
          <path d="M8 2a6 6 0 0 1 0 12z" fill="currentColor" />
        </svg>
      </ActionIcon>
    </Group>
  );
}
