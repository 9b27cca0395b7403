// The parts of the pages that are made from the contract and the code: tables and values that would otherwise go stale.

import { existsSync } from 'node:fs';
import { getOption } from '@bufbuild/protobuf';
import { defaults } from '../../src/config/defaults.ts';
import { scenarioNumbers, scenarios } from '../../src/core/verify/scenarios.ts';
import { webhookDelaysMs } from '../../src/core/webhooks/retry.ts';
import { file_ramz_v1_errors } from '../../src/gen/ramz/v1/errors_pb.ts';
import { file_ramz_v1_events } from '../../src/gen/ramz/v1/events_pb.ts';
import { error_codes, event_types, value_sets } from '../../src/gen/ramz/v1/options_pb.ts';
import { file_ramz_v1_values } from '../../src/gen/ramz/v1/values_pb.ts';
import { pumpingTable } from '../../test/pumping/table.ts';
import { securityTotals } from '../../test/unit/docs/security.ts';
import { ARROWS } from '../../test/unit/house/arrows.ts';
import { ROOMS } from '../../test/unit/house/rooms.ts';
import { table } from './fill.ts';

/** Name of a part in a page → the Markdown that stands there. */
export const parts: Readonly<Record<string, () => string>> = {
  admin_scopes: () => table(['scope', 'allows an administrator to'], valuesOf('admin_scope')),
  arrows: () =>
    table(
      ['`src/…`', 'may import'],
      Object.entries(ARROWS).map(([folder, targets]) => [
        code(folder),
        targets.map(code).join(', ') || 'nothing of ours',
      ]),
    ),
  deliveries_at_once: () => String(defaults.webhooks.concurrency_per_endpoint),
  errors: () =>
    table(
      ['code', 'HTTP', 'gRPC, Connect', 'when'],
      getOption(file_ramz_v1_errors, error_codes).map(({ name, httpStatus, grpcCode, description }) => [
        code(name),
        String(httpStatus),
        code(grpcCode),
        description,
      ]),
    ),
  error_details: () =>
    table(
      ['code', 'member', 'what it says'],
      getOption(file_ramz_v1_errors, error_codes).flatMap(({ name, details }) =>
        details.map((detail) => [code(name), code(detail.name), detail.description]),
      ),
    ),
  event_types: () =>
    table(
      ['type', 'when', '`data`'],
      getOption(file_ramz_v1_events, event_types).map(({ name, description, data }) => [
        code(name),
        description,
        code(data.split('.').at(-1) ?? data),
      ]),
    ),
  pumping: pumpingTable,
  retry_schedule: () => table(['attempt', 'after the one before', 'after the event'], retryRows()),
  rooms: () =>
    table(
      ['room', 'holds', ...floors.map((floor) => code(`src/${floor}`))],
      ROOMS.map((room) => [code(room), holds(room), ...floors.map((floor) => (hasRoom(floor, room) ? '✓' : ''))]),
    ),
  scopes: () => table(['scope', 'allows a key to'], valuesOf('scope')),
  security_totals: securityTotals,
  scenarios: () => {
    const numbers = scenarioNumbers('');
    return table(
      ['name', 'number', 'what happens'],
      scenarios.map(({ name, description }) => [code(name), `prefix + ${code(numbers[name])}`, description]),
    );
  },
};

const valuesOf = (set: string): string[][] =>
  getOption(file_ramz_v1_values, value_sets)
    .filter(({ name }) => name === set)
    .flatMap(({ values }) => values.map(({ name, description }) => [code(name), description]));

/** The floors that are divided into rooms, from the top. */
const floors = ['api/handlers', 'engine', 'core', 'db'];

const hasRoom = (floor: string, room: string): boolean =>
  existsSync(new URL(`../../src/${floor}/${room}`, import.meta.url));

const roomsHold: Readonly<Record<string, string>> = {
  accounts: 'accounts, API keys, sender names, autofill, brand and texts',
  delivery: 'messages on their way out, and what waits for which route',
  erasure: 'what there is of a phone number, and how it is taken out',
  fleet: 'processes, leases, bind slots, claims, partitions that are kept up',
  limits: 'rules against abuse, rates and budgets of sends',
  money: 'tariffs and costs',
  operators: 'operators as the person who runs the service sees and orders them',
  receipts: "carriers' reports, and the messages they belong to",
  reports: 'measures, projected from committed rows',
  secrets: 'the key ring',
  sessions: 'the one way in which a session changes',
  verify: 'sends, checks, deadlines, watches: what a verification is',
  waba: "businesses' own WhatsApp accounts",
  webhooks: 'events, and how they reach endpoints',
};

function holds(room: string): string {
  const what = roomsHold[room];
  if (what === undefined) throw new Error(`scripts/docs/parts.ts does not say what the room ${room} holds`);
  return what;
}

const code = (text: string): string => `\`${text}\``;

function retryRows(): string[][] {
  let sinceEvent = 0;
  const retries = webhookDelaysMs.map((delayMs, index) => {
    sinceEvent += delayMs;
    return [String(index + 2), span(delayMs), span(sinceEvent)];
  });
  return [['1', 'at once', 'at once'], ...retries];
}

/** `5 min 5 s`: days are left in hours, as the schedule is. */
function span(ms: number): string {
  const seconds = Math.round(ms / 1000);
  const units: [number, string][] = [
    [Math.floor(seconds / 3600), 'h'],
    [Math.floor(seconds / 60) % 60, 'min'],
    [seconds % 60, 's'],
  ];
  return units.flatMap(([value, unit]) => (value > 0 ? [`${value} ${unit}`] : [])).join(' ');
}
