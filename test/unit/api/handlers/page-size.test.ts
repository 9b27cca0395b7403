// The largest page of a list still fits into what gRPC's clients take by default. Who raises a limit of a field finds it out here.
import { create, toBinary } from '@bufbuild/protobuf';
import { expect, test } from 'vitest';
import { toSessionSummary } from '../../../../src/api/handlers/verify/to-proto.ts';
import { maxBodyBytes } from '../../../../src/api/rest/body.ts';
import type { Cost } from '../../../../src/core/money/cost.ts';
import { defaultRules } from '../../../../src/core/verify/rules.ts';
import { ListSessionsResponseSchema, SendRequestSchema } from '../../../../src/gen/ramz/v1/verify_pb.ts';
import { Story, wholeCascade } from '../../../support/session.ts';

const grpcMessageBytes = 4 * 1024 * 1024;
/** Four octets in UTF-8. */
const wide = (characters: number) => '𝄞'.repeat(characters);
const metadata = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`k${n}`.padEnd(40, 'x'), wide(500)]));
const own = { purpose: wide(32), clientReference: wide(100), metadata };

test('a hundred sessions with the most that callers may say of each are one message', () => {
  const { session } = new Story({ request: { cascade: wholeCascade } });
  const id = `vrf_${'0'.repeat(26)}`;
  const full = {
    ...session,
    ...own,
    id,
    to: '+213551234567',
    senderId: 'x'.repeat(11),
    autofill: { webOrigin: 'x'.repeat(60) },
    statusReason: 'canceled_by_client' as const,
    verifiedAt: 3_000,
    firstSendAt: 1_000,
  };
  const cost = (currency: string): Cost => ({
    amount: '123456.7890',
    currency,
    parts: 1,
    source: 'tariff',
    final: true,
    revision: 1,
    billedBy: 'service',
  });
  const costs = [cost('DZD'), cost('USD'), cost('EUR')];
  const sessions = Array.from({ length: 100 }, () =>
    toSessionSummary({ session: full, costs }, defaultRules, full.lastSendAt),
  );
  const page = create(ListSessionsResponseSchema, { sessions, nextPageToken: 'x'.repeat(200) });
  expect(toBinary(ListSessionsResponseSchema, page).length).toBeLessThan(grpcMessageBytes);
});

test('a send with the most that it may say is within the limit of a body, as JSON in UTF-8 and as protobuf', () => {
  const request = { to: '+213551234567', ...own };
  expect(Buffer.byteLength(JSON.stringify(request))).toBeLessThan(maxBodyBytes);
  expect(toBinary(SendRequestSchema, create(SendRequestSchema, request)).length).toBeLessThan(maxBodyBytes);
});
