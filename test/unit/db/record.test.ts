// The mappings of a declared record, from the rows of the driver and from those that `to_jsonb` writes.
import { describe, expect, it } from 'vitest';
import { together } from '../../../src/db/columns.ts';
import { record } from '../../../src/db/record.ts';

interface Parcel {
  id: string;
  to: string;
  senderFallback: boolean;
  weight: number | null;
  createdAt: number;
  finalAt: number | null;
  salt: string | null;
  contents: { name: string }[];
  labels: string[];
}

const parcel = record<Parcel>()({
  id: 'text',
  to: ['text', 'number'],
  senderFallback: 'boolean',
  weight: 'integer',
  createdAt: 'ms',
  finalAt: 'ms',
  salt: 'hex',
  contents: 'json',
  labels: 'texts',
});
const one: Parcel = {
  id: 'p1',
  to: '+213550000001',
  senderFallback: false,
  weight: null,
  createdAt: 1_700_000_000_123,
  finalAt: null,
  salt: '00ff',
  contents: [{ name: 'a' }],
  labels: ['x'],
};

describe('record', () => {
  it('names its columns in snake case, or as declared', () => {
    expect(parcel.names).toEqual([
      'id',
      'number',
      'sender_fallback',
      'weight',
      'created_at',
      'final_at',
      'salt',
      'contents',
      'labels',
    ]);
  });

  it('reads back the row it writes', () => {
    const row = parcel.toRow(one);
    expect(row).toMatchObject({ number: one.to, created_at: new Date(one.createdAt), weight: null });
    expect(row.contents).toBe('[{"name":"a"}]');
    expect(parcel.fromRow({ ...row, contents: one.contents })).toEqual(one);
  });

  it('reads times and octets as `to_jsonb` writes them, and passes other columns over', () => {
    const row = {
      ...parcel.toRow(one),
      contents: one.contents,
      created_at: '2023-11-14T22:13:20.123+00:00',
      salt: '\\x00ff',
      holder: 'process/1',
    };
    expect(parcel.fromRow(row)).toEqual(one);
  });

  it('keeps its order in part', () => {
    expect(parcel.pick('createdAt', 'id').names).toEqual(['id', 'created_at']);
    expect(parcel.omit('contents', 'labels', 'salt', 'to').names).toEqual([
      'id',
      'sender_fallback',
      'weight',
      'created_at',
      'final_at',
    ]);
    expect(parcel.pick('finalAt').fromRow({ final_at: null })).toEqual({ finalAt: null });
  });

  it('makes arrays from its fields, and one relation together with others', () => {
    const [left, right] = [parcel.pick('id', 'salt'), record<{ now: number }>()({ now: ['ms', 'sent_at'] })];
    const relation = together(left, right);
    expect(relation.count).toBe(3);
    expect(relation.select(4)).toBe(
      'select id, salt, to_timestamp(sent_at / 1000::double precision) as sent_at ' +
        'from unnest($4::text[], $5::bytea[], $6::bigint[]) as batch(id, salt, sent_at)',
    );
    expect([...left.parameters([one, { ...one, salt: null }]), ...right.parameters([{ now: 5 }, { now: 6 }])]).toEqual([
      '{"p1","p1"}',
      '{"\\\\x00ff",NULL}',
      '{5,6}',
    ]);
  });
});
