// A session followed live: the server's stream while it lasts, and afterwards a look whenever something may have come late.

import { create, toJson } from '@bufbuild/protobuf';
import { Code, ConnectError, createClient } from '@connectrpc/connect';
import { createConnectQueryKey, useQuery, useTransport } from '@connectrpc/connect-query';
import { keepPreviousData, useQuery as usePlainQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import { type Session, SessionSchema } from '../../src/gen/ramz/v1/session_pb.ts';
import { GetSessionResponseSchema, VerifyService } from '../../src/gen/ramz/v1/verify_pb.ts';
import { numberOf, type ReceivedWebhook, type SessionJson, webhooksOf } from './types.ts';

/** `over`: the stream ended with the session. `gone`: there is no such session. */
export type Link = 'connecting' | 'live' | 'reconnecting' | 'over' | 'gone';

const jsonOf = (session: Session): SessionJson =>
  toJson(SessionSchema, session, { useProtoFieldName: true, alwaysEmitImplicit: true }) as unknown as SessionJson;

const firstWaitMs = 500;
const longestWaitMs = 8_000;
/** How often a session that is over is looked at while a receipt or the end of a call is still to come. */
const lateMs = 3_000;
const lookMs = 4_000;

export function useSession(id: string, webhooks: readonly ReceivedWebhook[]) {
  const link = useWatch(id);
  const isStreamed = link === 'connecting' || link === 'live';
  const query = useQuery(
    VerifyService.method.getSession,
    { id },
    {
      enabled: !isStreamed,
      refetchInterval: ({ state }) => (link === 'over' && isUnsettled(state.data?.session) ? lateMs : false),
    },
  );
  const { refetch, data } = query;
  const newest = webhooksOf(webhooks, id)[0]?.id;
  useEffect(() => {
    if (newest !== undefined && link === 'over') void refetch();
  }, [newest, link, refetch]);
  const session = useMemo(() => (data?.session ? jsonOf(data.session) : null), [data]);
  return { session, link };
}

/** Something of it may still come: a receipt of what a carrier took, or the end of a call. */
const isUnsettled = (session: Session | undefined): boolean =>
  session?.messages.some(({ status, call }) => status === 'submitted' || (call !== undefined && !call.ended)) ?? false;

/**
 * Follows the stream, and keeps what it says where `useQuery` looks. It comes back with growing pauses until the session is over. A tab
 * that nobody sees lets go of it: a browser has six connections to one HTTP/1.1 server, for all its tabs.
 */
function useWatch(id: string): Link {
  const transport = useTransport();
  const queries = useQueryClient();
  const [link, setLink] = useState<Link>('connecting');
  const isFollowed = useIsSeen() && link !== 'over' && link !== 'gone';
  useEffect(() => {
    if (!isFollowed) return;
    const ended = new AbortController();
    const { signal } = ended;
    const client = createClient(VerifyService, transport);
    const input = { schema: VerifyService.method.getSession, input: { id }, transport, cardinality: 'finite' } as const;
    const queryKey = createConnectQueryKey(input);
    const keep = (session: Session) => queries.setQueryData(queryKey, create(GetSessionResponseSchema, { session }));

    /** Resolves with what is next, once the stream ended. `heard`: called at each state that came. */
    const watch = async (heard: () => void): Promise<Link> => {
      let status = 'pending';
      try {
        for await (const { session } of client.watchSession({ id }, { signal })) {
          if (!session) continue;
          heard();
          status = session.status;
          keep(session);
          setLink('live');
        }
      } catch (error) {
        const { code } = ConnectError.from(error);
        return code === Code.NotFound ? 'gone' : 'reconnecting';
      }
      return status === 'pending' ? 'reconnecting' : 'over';
    };

    void (async () => {
      let waitMs = firstWaitMs;
      while (!signal.aborted) {
        const next = await watch(() => {
          waitMs = firstWaitMs;
        });
        if (signal.aborted) return;
        setLink(next);
        if (next !== 'reconnecting') return;
        await pause(waitMs, signal);
        waitMs = Math.min(waitMs * 2, longestWaitMs);
      }
    })();
    return () => ended.abort();
  }, [id, transport, queries, isFollowed]);
  return link;
}

const useIsSeen = (): boolean => useSyncExternalStore(onSeen, () => !document.hidden);

function onSeen(listener: () => void): () => void {
  document.addEventListener('visibilitychange', listener);
  return () => document.removeEventListener('visibilitychange', listener);
}

const pause = (ms: number, signal: AbortSignal) =>
  new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });

/**
 * The webhooks of one session, newest first. `webhooks` are the newest of all sessions, and the sandbox may have older ones of this session: it is asked at
 * the beginning, after each new one, and once all were cleared.
 */
export function useWebhooks(id: string, webhooks: readonly ReceivedWebhook[]): ReceivedWebhook[] {
  const live = useMemo(() => webhooksOf(webhooks, id), [webhooks, id]);
  const { data } = usePlainQuery({
    queryKey: ['webhooks', id, live[0]?.id, webhooks.length === 0],
    queryFn: async ({ signal }): Promise<ReceivedWebhook[]> => {
      const response = await fetch(new URL(`sandbox/webhooks?session_id=${id}`, document.baseURI), { signal });
      return ((await response.json()) as { webhooks: ReceivedWebhook[] }).webhooks;
    },
    placeholderData: keepPreviousData,
  });
  return useMemo(() => {
    const byId = new Map([...(data ?? []), ...live].map((webhook) => [webhook.id, webhook]));
    return webhooksOf([...byId.values()], id);
  }, [data, live, id]);
}

/** The id of the newest session to a number; null while there is none. */
export function useNewest(to: string, webhooks: readonly ReceivedWebhook[]) {
  const { data, refetch, isPending, error } = useQuery(
    VerifyService.method.listSessions,
    { to, pageSize: 1 },
    { refetchInterval: lookMs },
  );
  const newest = useMemo(() => webhooks.filter((each) => numberOf(each) === to).at(-1)?.id, [webhooks, to]);
  useEffect(() => {
    if (newest !== undefined) void refetch();
  }, [newest, refetch]);
  return { id: data?.sessions[0]?.id ?? null, isPending, error };
}
