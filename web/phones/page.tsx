// The phones page as a whole.

import { AppShell, Group, Title } from '@mantine/core';
import { Choices } from '../ui/choices.tsx';

export function Page() {
  return (
    <AppShell header={{ height: 56 }} padding="md">
      <AppShell.Header>
        <Group h="100%" px="md" justify="space-between" wrap="nowrap">
          <Title order={1} size="h3">
            Ramz
          </Title>
          <Choices />
        </Group>
      </AppShell.Header>
      <AppShell.Main />
    </AppShell>
  );
}
