// One operator of the sandbox with our SMS channel bound to it: what the tests of faults begin with.
import { afterEach } from 'vitest';
import { Inbox } from '../../../src/sandbox/inbox.ts';
import { sandboxProfiles } from '../../../src/sandbox/operators.ts';
import { type Smsc, type SmscOptions, startSmsc } from '../../../src/sandbox/smsc/smsc.ts';
import { operatorConfig, type TestChannel, testChannel } from '../../peers/support/channel.ts';
import { proxyTo, type TcpProxy } from '../../peers/support/proxy.ts';

const smscs: Smsc[] = [];
afterEach(async () => {
  await Promise.all(smscs.splice(0).map((smsc) => smsc.stop()));
});

const { systemId: system_id, password } = sandboxProfiles.atlas;

/** Ends with the test. */
export async function atlas(options: Partial<SmscOptions> = {}): Promise<Smsc> {
  const smsc = await startSmsc({ profile: sandboxProfiles.atlas, inbox: new Inbox(), deliverDelayMs: 2, ...options });
  smscs.push(smsc);
  return smsc;
}

/** For tests in which answers are missing. In all others the default holds: a busy machine may need more than a second for an answer. */
export const soon = { response_timeout_ms: 1_000 };

export interface Faulty extends TestChannel {
  smsc: Smsc;
  proxy: TcpProxy;
}

/** The channel on Atlas's SMSC through a proxy, with one bind unless `count` says otherwise. */
export async function faulty(
  change: { smsc?: Partial<SmscOptions>; operator?: Record<string, unknown>; count?: number; password?: string } = {},
  take?: () => Promise<void>,
): Promise<Faulty> {
  const smsc = await atlas(change.smsc);
  const proxy = await proxyTo(smsc.port);
  const as = { system_id, password: change.password ?? password };
  const binds = [{ host: '127.0.0.1', port: proxy.port, ...as, count: change.count ?? 1 }];
  const message_id = { rule: 'answer_hex_receipt_decimal' };
  const config = operatorConfig({ id: 'atlas', binds, message_id, ...change.operator });
  return { smsc, proxy, ...testChannel(config, take) };
}
