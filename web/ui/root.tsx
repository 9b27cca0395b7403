// What every page stands in: theme, direction, language, queries, and the door to the service.

import '@mantine/core/styles.css';
import type { Transport } from '@connectrpc/connect';
import { TransportProvider } from '@connectrpc/connect-query';
import { DirectionProvider, MantineProvider, useDirection } from '@mantine/core';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { type ReactNode, StrictMode, useEffect, useMemo, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { directionOf, initialLanguage, keepLanguage, type Language, LanguageContext } from './languages.ts';
import { theme, variables } from './theme.ts';

function Languages({ children }: { children: ReactNode }) {
  const [language, setLanguage] = useState(initialLanguage);
  const { setDirection } = useDirection();
  useEffect(() => {
    document.documentElement.lang = language;
    setDirection(directionOf(language));
  }, [language, setDirection]);
  const choice = useMemo(
    () => ({
      language,
      choose: (next: Language) => {
        keepLanguage(next);
        setLanguage(next);
      },
    }),
    [language],
  );
  return <LanguageContext value={choice}>{children}</LanguageContext>;
}

/** Shows a page in `#root`. `transport`: where its queries go. */
export function show(page: ReactNode, transport: Transport): void {
  const root = document.getElementById('root');
  if (!root) throw new Error('the page has no #root');
  const queries = new QueryClient({ defaultOptions: { queries: { retry: 2, refetchOnWindowFocus: false } } });
  createRoot(root).render(
    <StrictMode>
      <DirectionProvider detectDirection={false} initialDirection={directionOf(initialLanguage())}>
        <MantineProvider theme={theme} cssVariablesResolver={variables} defaultColorScheme="auto">
          <TransportProvider transport={transport}>
            <QueryClientProvider client={queries}>
              <Languages>{page}</Languages>
            </QueryClientProvider>
          </TransportProvider>
        </MantineProvider>
      </DirectionProvider>
    </StrictMode>,
  );
}
