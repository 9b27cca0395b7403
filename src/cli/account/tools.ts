// What the words of `npm run account` work with.

import type { KeyMaker } from '../../engine/accounts/keys.ts';
import type { SenderRegistry } from '../../engine/accounts/senders.ts';

export interface AccountTools extends KeyMaker, SenderRegistry {
  say(line: string): void;
}
