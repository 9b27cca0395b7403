// The pane of a session alone, to work on it and to test it: `?story=sms_late` shows a recorded session (test/support/stories), `?id=vrf_…`
// and `?to=+213…` a real one by way of a sandbox. `&scheme=dark` and `&lang=ar` choose the look. It is in no build that is served.
// `RAMZ_PAGE=alone npx vite --config web/vite.config.ts`

import { fromJson, type JsonValue } from '@bufbuild/protobuf';
import { createRouterTransport } from '@connectrpc/connect';
import { createConnectTransport } from '@connectrpc/connect-web';
import { useMantineColorScheme, VisuallyHidden } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { SessionSchema } from '../../src/gen/ramz/v1/session_pb.ts';
import { VerifyService } from '../../src/gen/ramz/v1/verify_pb.ts';
import { SessionPane } from '../session/pane.tsx';
import type { ReceivedWebhook, Selected } from '../session/types.ts';
import { show } from '../ui/root.tsx';

const asked = new URLSearchParams(location.search);
const stories = import.meta.glob<{ id: string; created_at: string; status: string }>(
  '../../test/support/stories/*.json',
  { import: 'default' },
);

/** The session as if it had been opened `agoMs` ago, so that what is under way in it moves. */
function moved<T>(value: T, byMs: number): T {
  if (typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value)) {
    return new Date(Date.parse(value) + byMs).toISOString() as T;
  }
  if (Array.isArray(value)) return value.map((each) => moved(each, byMs)) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, moved(each, byMs)])) as T;
}

async function recorded(name: string) {
  const load = stories[`../../test/support/stories/${name}.json`];
  if (!load) throw new Error(`no story ${name}`);
  const json = await load();
  const story = moved(json, Date.now() - Number(asked.get('ago') ?? 2_000) - Date.parse(json.created_at));
  const session = () => fromJson(SessionSchema, story as JsonValue);
  const transport = createRouterTransport(({ service }) => {
    service(VerifyService, {
      getSession: () => ({ session: session() }),
      check: () => ({ valid: false, reason: 'incorrect_code', status: 'pending', attemptsRemaining: 4 }),
      async *watchSession(_, { signal }) {
        yield { session: session() };
        if (story.status !== 'pending') return;
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
      },
    });
  });
  return { transport, selected: { sessionId: story.id } };
}

function selectedIn(query: URLSearchParams): Selected {
  const [id, to] = [query.get('id'), query.get('to')];
  return id ? { sessionId: id } : to ? { to } : null;
}

function Alone({ selected, isReal }: { selected: Selected; isReal: boolean }) {
  const { setColorScheme } = useMantineColorScheme();
  const scheme = asked.get('scheme');
  useEffect(() => {
    if (scheme === 'dark' || scheme === 'light') setColorScheme(scheme);
  }, [scheme, setColorScheme]);
  const { data: webhooks = [] } = useQuery({
    queryKey: ['webhooks'],
    enabled: isReal,
    refetchInterval: 300,
    queryFn: async (): Promise<ReceivedWebhook[]> => {
      const response = await fetch('sandbox/webhooks?limit=100');
      return ((await response.json()) as { webhooks: ReceivedWebhook[] }).webhooks;
    },
  });
  return (
    <main style={{ maxWidth: 512 }}>
      <VisuallyHidden component="h1">A session alone</VisuallyHidden>
      <SessionPane selected={selected} webhooks={webhooks} />
    </main>
  );
}

const name = asked.get('story');
if (name) {
  const { transport, selected } = await recorded(name);
  show(<Alone selected={selected} isReal={false} />, transport);
} else {
  const transport = createConnectTransport({ baseUrl: new URL('service', document.baseURI).href });
  show(<Alone selected={selectedIn(asked)} isReal={true} />, transport);
}
