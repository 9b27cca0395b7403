// The sandbox's phones in a process of their own: each answers, presses a key and hears the code.

import { Inbox } from '../../src/sandbox/inbox.ts';
import { startPhones } from '../../src/sandbox/phones/phones.ts';
import { sandboxVoice } from '../../src/sandbox/phones/trunk.ts';
import { prefixes } from '../load/verifications.ts';

const started = await startPhones({ inbox: new Inbox(), banks: [] });
if (started.kind === 'unavailable') throw new Error(started.reason);
const { phones } = started;
process.on('disconnect', () => process.exit(0));
process.send?.({ voice: sandboxVoice({ host: '127.0.0.1', port: phones.port, credentials: null, prefixes }) });
