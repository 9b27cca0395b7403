// The left pane: scenarios to play, or a send of one's own.

import { Tabs } from '@mantine/core';
import { useWords, type Words } from '../../ui/languages.ts';
import { OwnForm } from './own-form.tsx';
import { Scenarios } from './scenarios.tsx';

const words: Words<'scenarios' | 'own'> = {
  en: { scenarios: 'Scenarios', own: 'Your own' },
  fr: { scenarios: 'Scénarios', own: 'Le vôtre' },
  ar: { scenarios: 'سيناريوهات', own: 'من عندك' },
};

export function SendPane() {
  const say = useWords(words);
  return (
    <Tabs defaultValue="scenarios" variant="pills" radius="xl">
      <Tabs.List grow mb="md">
        <Tabs.Tab value="scenarios">{say('scenarios')}</Tabs.Tab>
        <Tabs.Tab value="own">{say('own')}</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="scenarios">
        <Scenarios />
      </Tabs.Panel>
      <Tabs.Panel value="own">
        <OwnForm />
      </Tabs.Panel>
    </Tabs>
  );
}
