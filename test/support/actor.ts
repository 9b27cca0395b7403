// The actor of what tests do, for the audit log.
import { systemActor } from '../../src/core/accounts/actor.ts';

export const tester = systemActor('a test');
