// The rooms of the house: one word for one capability, the same on every floor, and who may know whom inside the engine.

/** Words a folder of core, engine, db and api/handlers may have. */
export const ROOMS = [
  'accounts',
  'delivery',
  'erasure',
  'fleet',
  'limits',
  'money',
  'operators',
  'receipts',
  'reports',
  'secrets',
  'sessions',
  'verify',
  'waba',
  'webhooks',
];

/** Folders of a floor that are no rooms. */
export const MACHINERY: Readonly<Record<string, readonly string[]>> = {
  db: ['connections', 'embedded', 'migrations', 'partitions'],
};

/**
 * Room of the engine → the rooms it may import. The face (files directly under src/engine) may import all; every room may import
 * context.ts. The one edge that leads up is the event `committed`.
 */
export const ENGINE_ARROWS: Readonly<Record<string, readonly string[]>> = {
  verify: ['delivery', 'sessions', 'limits', 'accounts', 'fleet'],
  delivery: ['receipts', 'sessions'],
  receipts: ['sessions'],
  sessions: ['fleet', 'limits', 'accounts'],
  limits: ['accounts', 'webhooks', 'fleet'],
  accounts: ['webhooks'],
  erasure: ['fleet'],
  waba: ['webhooks', 'secrets'],
  webhooks: ['fleet', 'secrets'],
  secrets: [],
  fleet: [],
  operators: [],
  reports: ['fleet'],
};

/** The faces of the engine: the API knows the verification by the first, and each other room by the file that has its name; the room of limits,
 * of which it sees only a part, by the files of that part. */
export const FACES = [
  'engine/engine.ts',
  'engine/accounts/accounts.ts',
  'engine/limits/account-limits.ts',
  'engine/erasure/erasure.ts',
  'engine/erasure/export.ts',
  'engine/limits/dry-run.ts',
  'engine/limits/stops.ts',
  'engine/operators/operators.ts',
  'engine/reports/summary.ts',
  'engine/waba/waba.ts',
  'engine/webhooks/webhooks.ts',
];

/** Functions handed over by interfaces that wire the engine: what is reached, to be lowered with every one that goes. */
export const MOST_WIRED_FUNCTIONS = 13;
