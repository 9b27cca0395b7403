// Mutants of the protocol: each leaves out one thing that it rests on. A simulation that does not notice is worth nothing.
import type { SendOutcome } from '../../src/channels/channel.ts';
import { isOutgoing } from '../../src/core/verify/session.ts';
import type { OpenSession } from '../../src/db/fleet/claims.ts';
import type { OpenItem } from '../../src/db/verify/open.ts';
import type { SaveItem } from '../../src/db/verify/save.ts';
import { operatorIds } from './carrier.ts';
import type { Schedule } from './schedule.ts';
import type { Tables, Verbs } from './store/tables.ts';

export interface Mutant {
  name: string;
  /** The complaint that it must lead to. */
  noticedBy: RegExp;
  verbs?(verbs: Verbs, tables: Tables): Verbs;
  answerEarly?(verb: keyof Verbs, args: unknown[]): { answer: unknown } | null;
  heard?(outcome: SendOutcome): SendOutcome;
  acknowledgesEarly?: boolean;
  forgetsOperations?: boolean;
  endsLeasesFirst?: boolean;
  /** Schedules with the faults that make it show, where it takes a rare coincidence. Without the mutant they keep every promise. */
  schedule?(drawn: Schedule): Schedule;
}

const hasSubmitting = ({ session }: SaveItem | OpenItem): boolean =>
  session.messages.some(({ status }) => status === 'submitting');

const withoutWriters = (session: OpenSession): OpenSession => ({ ...session, inHand: [] });

export const mutants: readonly Mutant[] = [
  {
    name: 'write before commit',
    noticedBy: /on record as|is not stored/,
    answerEarly(verb, [items]) {
      if (verb !== 'saveSessions' && verb !== 'openSessions') return null;
      const given = items as (SaveItem | OpenItem)[];
      if (!given.some(hasSubmitting)) return null;
      const answer = verb === 'openSessions' ? { kind: 'opened' } : { kind: 'saved', deliveries: [] };
      return { answer: given.map(() => answer) };
    },
  },
  {
    name: 'no compare-and-set',
    noticedBy: /tries|became|two messages|webhooks/,
    verbs: (verbs, tables) => ({
      ...verbs,
      saveSessions: (items, limit) =>
        verbs.saveSessions(
          items.map((item) => {
            const version = tables.sessions.get(item.session.id)?.session.version ?? item.session.version;
            return { ...item, session: { ...item.session, version } };
          }),
          limit,
        ),
    }),
  },
  {
    name: 'hedge of a submit',
    noticedBy: /submitted twice/,
    heard: (outcome) => (outcome.kind === 'unknown' ? { kind: 'not_sent', reason: 'hedged' } : outcome),
  },
  {
    name: 'no key stored with its effect',
    noticedBy: /done twice|tries/,
    verbs: (verbs) => ({
      ...verbs,
      openSessions: (items) => verbs.openSessions(items.map((item) => ({ ...item, idempotency: null }))),
      saveSessions: (items, limit) =>
        verbs.saveSessions(
          items.map((item) => ({ ...item, key: null })),
          limit,
        ),
    }),
  },
  { name: 'no operation id', noticedBy: /in two ways|in two sessions|tries/, forgetsOperations: true },
  {
    name: 'no fence: a late send is done again',
    noticedBy: /a send was done/,
    verbs: (verbs, tables) => ({
      ...verbs,
      saveSessions: (items, limit) => {
        const results = verbs.saveSessions(items, limit);
        tables.resends.clear();
        return results;
      },
    }),
    schedule: ({ settings, faults, ...drawn }) => ({
      ...drawn,
      settings: { ...settings, hasOwners: true, resendIntervalMs: 500, ttlSeconds: 4, accountPerSecond: 50 },
      faults: faults.map((fault) => ({
        ...fault,
        kind: 'database',
        statement: 'late',
        only: 'openSessions',
        process: Math.max(0, fault.process),
        share: 1,
        forMs: 5_000,
      })),
    }),
  },
  {
    name: 'credit from a row that is not locked',
    noticedBy: /was granted, of/,
    verbs: (verbs) => ({
      ...verbs,
      // As if each process met the row as it was before the others took from it.
      takeCredit: (wants, warner) =>
        verbs
          .takeCredit(
            wants.map((want) => ({ ...want, enforced: false })),
            warner,
          )
          .map((granted) => granted && { ...granted, exhausted: false }),
    }),
    schedule: ({ settings, ...drawn }) => ({ ...drawn, settings: { ...settings, budget: { sendsPerHour: 1 } } }),
  },
  {
    name: 'no writer named in its message',
    noticedBy: /for good/,
    verbs: (verbs) => ({
      ...verbs,
      openSessionsOf: (...args) => verbs.openSessionsOf(...args).map(withoutWriters),
      openSessionsAt: (...args) => verbs.openSessionsAt(...args).map(withoutWriters),
    }),
  },
  {
    name: 'a session that is over is not looked through',
    noticedBy: /deadline for good/,
    verbs: (verbs, tables) => ({
      ...verbs,
      saveSessions: (items, limit) => {
        const results = verbs.saveSessions(items, limit);
        // Those with nothing but a deadline: what is being written is still looked for.
        for (const { session } of items) if (!session.messages.some(isOutgoing)) tables.unsettled.delete(session.id);
        return results;
      },
    }),
    // Codes come by the app, and their processes die while it may still deliver.
    schedule: ({ settings, faults, ...drawn }) => ({
      ...drawn,
      settings: { ...settings, cascade: [{ channel: 'whatsapp', timeoutMs: 1_000 }], ttlSeconds: 4 },
      faults: faults.map((fault) => ({ ...fault, kind: 'kill' })),
    }),
  },
  {
    name: 'an event for the first endpoint alone',
    noticedBy: /wrong endpoints/,
    verbs: (verbs) => ({
      ...verbs,
      saveSessions: (items, limit) => {
        const first = ({ events }: SaveItem) =>
          events.map((event) => ({ ...event, endpointIds: event.endpointIds.slice(0, 1) }));
        return verbs.saveSessions(
          items.map((item) => ({ ...item, events: first(item) })),
          limit,
        );
      },
    }),
  },
  {
    name: 'a stop that ends the leases first',
    noticedBy: /in doubt, and processes only stopped/,
    endsLeasesFirst: true,
    // The operator answers late, and nothing else goes wrong.
    schedule: ({ settings, faults, ...drawn }) => ({
      ...drawn,
      settings: { ...settings, carrierTrouble: 0, answerTimeoutMs: 10_000, slowestAnswerMs: 8_000 },
      faults: faults.map((fault) => ({ ...fault, kind: 'stop', process: Math.max(0, fault.process) })),
    }),
  },
  {
    name: 'the id of any operator',
    noticedBy: /of another phone/,
    verbs: (verbs) => ({
      ...verbs,
      findReferences: (items) =>
        items.map((item) => {
          const found = operatorIds.flatMap((operator) => verbs.findReferences([{ ...item, operator }]));
          return found.find((each) => each !== null) ?? null;
        }),
    }),
    // Answers are lost while the other operator gives the same ids.
    schedule: ({ settings, ...drawn }) => ({ ...drawn, settings: { ...settings, carrierTrouble: 0.6 } }),
  },
  { name: 'taken = done', noticedBy: /acknowledged and is lost/, acknowledgesEarly: true },
  {
    name: 'no search for what a dead process left',
    noticedBy: /past its deadline|submitting for good/,
    verbs: (verbs) => ({ ...verbs, openSessionsOf: () => [], openSessionsAt: () => [] }),
  },
  {
    name: 'no row that reserves the number',
    noticedBy: /two sessions are pending/,
    verbs: (verbs, tables) => ({
      ...verbs,
      openSessions: (items) => {
        tables.pending.clear();
        return verbs.openSessions(items);
      },
    }),
  },
];
