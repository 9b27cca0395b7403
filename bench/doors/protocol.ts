// What the doors under measurement have in common: one call with one answer.

import type { CheckResponse } from '../../src/gen/ramz/v1/verify_pb.ts';

export const path = '/v1/verify/check';
export const method = '/ramz.v1.VerifyService/Check';

export const question = { id: 'vrf_01m7z1xfszezyacnz9x5z8r2kn', code: '123456' };

export const answer: Partial<CheckResponse> = {
  id: question.id,
  valid: false,
  status: 'pending',
  reason: 'incorrect_code',
  attemptsRemaining: 4,
  test: false,
};

/** As the REST door writes it: what Fastify is to answer too. */
export const answerJson = {
  valid: false,
  id: question.id,
  status: 'pending',
  reason: 'incorrect_code',
  attempts_remaining: 4,
  verified_at: null,
  test: false,
};

export interface DoorReady {
  httpPort: number;
  grpcPort: number;
}
