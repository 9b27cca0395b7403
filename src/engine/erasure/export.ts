// The export of an account: everything that is stored of it, as lines of JSON, in pages. Each page goes on where the last one ended, so nothing is held
// between two of them, and a caller that was interrupted asks for the same page once more. It is no snapshot: of an open account, what is
// written behind the reader's place is missing.

import { randomBytes } from 'node:crypto';
import type { Actor } from '../../core/accounts/actor.ts';
import { type KeyRing, open, seal } from '../../core/secrets/key-ring.ts';
import type { Rules } from '../../core/verify/rules.ts';
import { messageJson, receiptJson, sessionJson, timelineJson } from '../../core/verify/session-json.ts';
import { messageView, receiptView, sessionView } from '../../core/verify/view.ts';
import { audit } from '../../db/accounts/audit.ts';
import { findAccountRow } from '../../db/accounts/control.ts';
import {
  type ExportedFields,
  type ExportedRow,
  type ExportedSession,
  exportRows,
  exportSessions,
  exportSources,
  exportWebhooks,
} from '../../db/accounts/export.ts';
import { inTransaction } from '../../db/changes.ts';
import { endpointsWithWebhooks } from '../../db/erasure/account.ts';
import { type UntypedDb, withSchema } from '../../db/schema.ts';
import { dayMs } from '../../time/wall-clock.ts';
import type { ErasureDatabases } from './erasure.ts';

/** Version of the format of the lines. */
const version = 1;

/** The place up to which an account is exported: a part of the list below, a database, and the key of the last row. */
interface Place {
  part: number;
  cell: number;
  after: readonly string[] | null;
}

/**
 * What a page token says. It is sealed: an export that began in its middle would not be recorded, and the key of a row may be a phone number, which
 * must not be read in the log of a proxy.
 */
interface Token extends Place {
  /** When the export began, Unix ms. */
  begunAt: number;
}

/** How long after its beginning an export gives pages, ms: the audit log has the beginning alone. */
const lastsMs = 7 * dayMs;

export interface ExportedRecord {
  kind: string;
  /** A line of the file, without its end. */
  line: string;
}

export interface ExportPage {
  records: ExportedRecord[];
  /** Token of the next page; null after the last one. */
  next: string | null;
}

/** A page ends with the record that brings it here: the messages of gRPC have 4 MiB at most. */
const mostBytes = 1_048_576;
/** Rows asked for at a time: a session or a webhook may have some tens of kilobytes. */
const perStep = 20;

interface Part {
  kind: string;
  lies: 'home' | 'cells';
  rows(
    db: UntypedDb,
    page: { accountId: string; after: readonly string[] | null; limit: number },
  ): Promise<ExportedRow[]>;
}

export interface AccountExportOptions {
  /** Seals page tokens. */
  ring: KeyRing;
  settings: { readonly rules: Rules };
}

export class AccountExport {
  readonly #dbs: ErasureDatabases;
  /** Unix ms. */
  readonly #now: () => number;
  readonly #ring: KeyRing;
  readonly #parts: readonly Part[];

  constructor(dbs: ErasureDatabases, now: () => number, { ring, settings }: AccountExportOptions) {
    this.#dbs = dbs;
    this.#now = now;
    this.#ring = ring;
    const sessions: Part = {
      kind: 'session',
      lies: 'cells',
      async rows(db, { accountId, after, limit }) {
        const found = await exportSessions(db, { accountId, after: after?.[0] ?? '', limit });
        return found.map((each) => ({ key: [each.id], fields: wholeSession(each, settings.rules, now()) }));
      },
    };
    const webhooks: Part = { kind: 'webhook_delivery', lies: 'cells', rows: webhooksOf };
    const parts = exportSources.map(
      (source): Part => ({ ...source, rows: (db, page) => exportRows(db, source, page) }),
    );
    this.#parts = [...parts, sessions, webhooks];
  }

  /**
   * `from`: token of the page; null = the first one, which is recorded in the audit log. Null where there is no such account, 'invalid_token' where
   * the token is of another account's export or another actor's, or of one that began too long ago.
   */
  async page(
    accountId: string,
    { from, limit, actor }: { from: string | null; limit: number; actor: Actor },
  ): Promise<ExportPage | null | 'invalid_token'> {
    const home = withSchema(this.#dbs.home);
    const about = `export:${accountId}:${actor.id}`;
    const now = this.#now();
    const token = from === null ? { begunAt: now, part: 0, cell: 0, after: null } : this.#opened(from, about);
    if (!token || now - token.begunAt > lastsMs) return 'invalid_token';
    if (!(await findAccountRow(home, accountId))) return null;
    const records: ExportedRecord[] = [];
    let bytes = 0;
    const add = (kind: string, data: ExportedFields) => {
      const line = JSON.stringify({ kind, data });
      records.push({ kind, line });
      bytes += Buffer.byteLength(line);
    };
    if (from === null) {
      const at = new Date(now);
      await inTransaction(home, (tx) =>
        audit(tx, { at, actor, action: 'export_account', target: accountId, accountId }),
      );
      add('export', { version, account_id: accountId, exported_at: at });
    }
    const { begunAt } = token;
    let place: Place = token;
    for (;;) {
      const room = limit - records.length;
      if (room <= 0 || bytes >= mostBytes) return { records, next: this.#sealed({ ...place, begunAt }, about) };
      const part = this.#parts[place.part];
      if (!part) {
        add('end', {});
        return { records, next: null };
      }
      const dbs = part.lies === 'home' ? [this.#dbs.home] : this.#dbs.cells;
      const db = dbs[place.cell];
      if (!db) {
        place = { part: place.part + 1, cell: 0, after: null };
        continue;
      }
      const asked = Math.min(room, perStep);
      const rows = await part.rows(db, { accountId, after: place.after, limit: asked });
      for (const { fields } of rows) if (fields) add(part.kind, fields);
      const after = rows.at(-1)?.key ?? null;
      place = rows.length < asked ? { ...place, cell: place.cell + 1, after: null } : { ...place, after };
    }
  }

  #sealed(token: Token, about: string): string {
    const sealed = seal(this.#ring, 'webhook_secret', JSON.stringify(token), about, randomBytes(12));
    return Buffer.from(sealed).toString('base64url');
  }

  /** Null where it was not sealed here for the same. */
  #opened(token: string, about: string): Token | null {
    const opened = open(this.#ring, 'webhook_secret', Buffer.from(token, 'base64url').toString(), about);
    return opened.kind === 'ok' ? (JSON.parse(opened.plaintext) as Token) : null;
  }
}

/** As `GET /v1/verify/sessions/{id}` answers it. */
function wholeSession({ session, receipts }: ExportedSession, rules: Rules, now: number): ExportedFields | null {
  if (!session) return null;
  const costs = session.messages.map(({ cost }) => cost);
  const messages = session.messages.map((message) => ({
    ...messageJson(messageView(message)),
    receipts: receipts
      .filter(({ messageId }) => messageId === message.id)
      .map((receipt) => receiptJson(receiptView(session, receipt))),
  }));
  const view = sessionView(session, rules, costs, now);
  return { ...sessionJson(view), messages, timeline: session.timeline.map(timelineJson) };
}

/** One endpoint after the other, those that were deleted among them. */
const webhooksOf: Part['rows'] = async (db, { accountId, after, limit }) => {
  const [last, event = ''] = after ?? [];
  const rows = last === undefined ? [] : await exportWebhooks(db, { endpointId: last, after: event, limit });
  if (rows.length === limit) return rows;
  const endpoints = (await endpointsWithWebhooks(db, accountId)).toSorted();
  for (const endpointId of endpoints.filter((id) => last === undefined || id > last)) {
    rows.push(...(await exportWebhooks(db, { endpointId, after: '', limit: limit - rows.length })));
    if (rows.length === limit) break;
  }
  return rows;
};
