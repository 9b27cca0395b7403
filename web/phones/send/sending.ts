// Sending a code by the service's own API, and what is wrong when it is not sent: the service's error code, the field, and its words.

import { Code, ConnectError } from '@connectrpc/connect';
import { useMutation } from '@connectrpc/connect-query';
import { useContext } from 'react';
import { BadRequestSchema, ErrorInfoSchema } from '../../../src/gen/google/rpc/error_details_pb.ts';
import { VerifyService } from '../../../src/gen/ramz/v1/verify_pb.ts';
import { LanguageContext } from '../../ui/languages.ts';
import { usePage } from '../page-state.tsx';
import { legsOf, type ScenarioName } from './stories.ts';

/** A mutation that sends; the session it opens is looked at from then on. */
export function useSend() {
  const { select, noteSent, showPane } = usePage();
  return useMutation(VerifyService.method.send, {
    onSuccess: ({ id, to }) => {
      noteSent(to);
      select({ sessionId: id });
      showPane('phones');
    },
  });
}

/** A purpose of its own for a send: it opens a session, whatever is open to the number. */
export const ownPurpose = (): string => `page-${Date.now().toString(36)}`;

/**
 * Sends to a scenario's number. Each time under a purpose of its own: to one purpose a second send within its time is a resend of the
 * same session, and a person who presses the button again wants to see the story again.
 */
export function useScenario(name: ScenarioName, number: string | undefined) {
  const { language } = useContext(LanguageContext);
  const sending = useSend();
  const send = () => {
    if (number === undefined) return;
    sending.mutate({ to: number, language, cascade: legsOf(name), purpose: ownPurpose() });
  };
  return { send, isPending: sending.isPending, error: sending.error };
}

export interface Problem {
  /** The service's error code, e.g. `invalid_phone_number`. */
  code: string;
  /** By its path on the wire; null where it is about none. */
  field: string | null;
  /** In the service's words. */
  message: string;
}

export function problemOf(error: unknown): Problem | null {
  if (!error) return null;
  const failed = ConnectError.from(error);
  const [info] = failed.findDetails(ErrorInfoSchema);
  const [bad] = failed.findDetails(BadRequestSchema);
  const isAway = failed.code === Code.Unavailable && !info;
  return {
    code: info?.reason || (isAway ? 'unavailable' : Code[failed.code].toLowerCase()),
    field: bad?.fieldViolations[0]?.field ?? null,
    message: failed.rawMessage,
  };
}
