// Types of result.js for the tests.
export type SignupEvent =
  | { kind: 'finished'; wabaId: string; phoneNumberId: string }
  | { kind: 'no_number' }
  | { kind: 'canceled' }
  | { kind: 'failed'; code: string };
export function readSignupEvent(data: unknown): SignupEvent | null;
