// The fake's stream of a session: as it is, then after every change, until it is over.

import type { Json } from '../codec.ts';
import { endOfStream, envelope } from '../envelopes.ts';
import type { FakeSessions } from './sessions.ts';
import { type FakeSession, sessionView } from './views.ts';

export function watchBody(
  sessions: FakeSessions,
  session: FakeSession | undefined,
  signal: AbortSignal | null | undefined,
): ReadableStream<Uint8Array> {
  let stop = (): void => {};
  return new ReadableStream<Uint8Array>({
    start(controller) {
      const put = (message: Json, flags = 0) => {
        const bytes = envelope(JSON.stringify(message));
        bytes[0] = flags;
        controller.enqueue(bytes);
      };
      stop = () => sessions.watchers.delete(tell);
      let told = 0;
      const tell = () => {
        if (!session || session.timeline.length === told) return;
        put({ session: sessionView(session), new_entries: session.timeline.slice(told) });
        told = session.timeline.length;
        if (session.status !== 'pending') end({});
      };
      const end = (message: Json) => {
        stop();
        put(message, endOfStream);
        controller.close();
      };
      if (!session) return end({ error: { code: 'not_found', message: 'no such session', details: [notFound] } });
      sessions.watchers.add(tell);
      signal?.addEventListener('abort', stop, { once: true });
      tell();
    },
    cancel: () => stop(),
  });
}

/** google.rpc.ErrorInfo {reason: "session_not_found", domain: "ramz"} */
const notFound = { type: 'google.rpc.ErrorInfo', value: 'ChFzZXNzaW9uX25vdF9mb3VuZBIEcmFteg==' };
