// `ramz administrators`: lists, creates and revokes those who run the deployment. Straight on the database, so that the first of them can be made,
// and a stolen token revoked, without any token.

import { randomBytes } from 'node:crypto';
import { idSource } from '../core/ids.ts';
import { withSchema } from '../db/schema.ts';
import { type Administrator, Administrators } from '../engine/accounts/administrators.ts';
import { adminScopeValues } from '../gen/values.ts';
import { cliActor } from './actor.ts';
import {
  expiryOf,
  flag,
  lineByLine,
  pageSize,
  Refusal,
  readText,
  sayRows,
  someOf,
  text,
  type VerbOptions,
} from './command.ts';
import { type Opened, requireRing, withDatabase } from './database.ts';
import { command, type Program, runProgram } from './program.ts';

interface Tools {
  room: Administrators;
  requireRing(): Promise<void>;
  say(line: string): void;
}

const program: Program<Tools> = {
  call: 'npm run ramz -- administrators',
  commands: [
    command({
      names: ['list'],
      usage: `
  list [--revoked]
      administrators: their scopes, when their token expires, when it was last used`,
      options: { revoked: flag },
      run: (tools: Tools, { values: { revoked = false } }) => list(tools, revoked),
    }),
    command({
      names: ['create'],
      usage: `
  create <name> [--scopes ${adminScopeValues.join(',')}] [--expires 2027-01-31]
      makes one; prints the token, which is shown only once`,
      takes: ['<name>'],
      options: { scopes: text, expires: text },
      run: (tools: Tools, { words: [name = ''], values }) => create(tools, { name, ...values }),
    }),
    command({
      names: ['revoke'],
      usage: `
  revoke <administrator id>
      refuses the token everywhere within a second`,
      takes: ['<administrator id>'],
      run: (tools: Tools, { words: [id = ''] }) => revoke(tools, id.trim()),
    }),
  ],
};

/** Resolves with the exit code: 0 done, 1 refused, 2 not understood. */
export const administrators = (args: readonly string[], options: VerbOptions): Promise<number> =>
  runProgram(program, { args, ...options }, (run) =>
    withDatabase(options, 'ramz administrators', async (opened) =>
      run({ room: roomOn(opened), requireRing: () => requireRing(opened), say: lineByLine(options.say) }),
    ),
  );

function roomOn({ config, database }: Opened): Administrators {
  const { keyRing: ring, liveKeyPrefix: livePrefix, testKeyPrefix: testPrefix, adminTokenHash } = config.server;
  return new Administrators({
    db: withSchema(database.db),
    ring,
    now: Date.now,
    ids: idSource({ now: Date.now, randomBytes }),
    prefixes: { livePrefix, testPrefix },
    settings: { operators: [], hasAdminToken: adminTokenHash !== null },
  });
}

async function list({ room, say }: Tools, includeRevoked: boolean): Promise<void> {
  const read = (before: string | null) => room.list({ limit: pageSize, before, includeRevoked });
  const count = await sayRows(read, (row) => say(describe(row)));
  if (count === 0) say('there is no administrator');
}

interface Asked {
  name: string;
  scopes?: string | undefined;
  expires?: string | undefined;
}

async function create({ room, requireRing, say }: Tools, { name, scopes, expires }: Asked): Promise<void> {
  const expiresAt = expiryOf(expires, Date.now());
  const request = {
    name: readText('<name>', name, 'name'),
    scopes: someOf('--scopes', scopes, adminScopeValues),
    expiresAt,
  };
  await requireRing();
  const made = await room.create(request, cliActor());
  if (made.kind === 'too_many') throw new Refusal(`there are ${made.most} working administrators already`, 1);
  if (made.kind === 'maker_revoked') throw new Error('the command line is no administrator who could be revoked');
  say(`administrator  ${made.administrator.id}`);
  say(`token          ${made.token}`);
  say('The token is not shown again.');
}

async function revoke({ room, say }: Tools, id: string): Promise<void> {
  const outcome = await room.revoke(id, cliActor());
  if (outcome.kind === 'not_found') throw new Refusal(`no administrator ${id}: an id begins with adm_`, 1);
  if (outcome.kind === 'last_administrator')
    throw new Refusal(
      'it is the last with the scope administrators: create another one first, or set RAMZ_ADMIN_TOKEN',
      1,
    );
  say(describe(outcome.administrator));
}

function describe({ id, hint, name, scopes, expires_at, last_used_at, revoked_at, created_by }: Administrator): string {
  const ends = revoked_at ? `revoked ${revoked_at.toISOString()}` : `expires ${expires_at?.toISOString() ?? 'never'}`;
  const used = `last used ${last_used_at?.toISOString() ?? 'never'}`;
  return [id, hint, scopes.join(','), ends, used, name, `made by ${created_by}`].join('  ');
}
