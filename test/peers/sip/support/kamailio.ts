// Kamailio as the operator's proxy: asks for credentials, stands in the route by Record-Route, and reaches the callee by UDP or TCP.
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { testFolder } from '../../../support/folder.ts';
import { startProcess } from '../../../support/process.ts';
import { toolPath } from '../../../support/tool.ts';
import { until } from '../../../support/wait.ts';
import { freePort, isBound } from './sipp.ts';

export interface KamailioOptions {
  callee: { port: number; transport: 'udp' | 'tcp' };
  /** Default MD5. */
  algorithm?: 'MD5' | 'SHA-256';
}

export const credentials = { username: 'otp', password: 's3cret' } as const;
const realm = 'trunk.example';

export interface Kamailio {
  port: number;
  stop(): Promise<void>;
}

/** With the challenge of an operator. */
export const startKamailio = (options: KamailioOptions): Promise<Kamailio> =>
  start((port) => configuration(port, options), ['udp', 'tcp']);

export interface DeployedOptions {
  /** Its own address. */
  host: string;
  operator: { address: string; port: number };
  /** The address of a NAT before it. */
  publicAddress?: string | undefined;
}

/** As deploy/kamailio has it, with the addresses changed that its reader is asked to change. */
export const startDeployedKamailio = ({ host, operator, publicAddress }: DeployedOptions): Promise<Kamailio> =>
  start(
    (port) => {
      const text = readFileSync(new URL('../../../../deploy/kamailio/kamailio.cfg', import.meta.url), 'utf8');
      const changed = text
        .replace('sip:192.0.2.10:5060', `sip:${operator.address}:${operator.port}`)
        // The second of several, as the file says how to write them.
        .replace(
          /(?<=^#!define FROM_OPERATOR ).*/m,
          `src_ip == 192.0.2.0/28 || src_ip == ${operator.address}${publicAddress ? ` || src_ip == ${publicAddress}` : ''}`,
        )
        .replace('udp:192.0.2.20:5060', `udp:${host}:${port}`)
        .replace('udp:127.0.0.1:5060', `udp:127.0.0.1:${port}`)
        .replace(/^# (#!define PUBLIC ).*/m, (line, define) =>
          publicAddress ? `${define}${publicAddress}:${port}` : line,
        );
      return changed.replace(
        'loadmodule',
        'mpath="/usr/lib/x86_64-linux-gnu/kamailio/modules/:/usr/lib/aarch64-linux-gnu/kamailio/modules/"\nloadmodule',
      );
    },
    ['udp'],
  );

async function start(text: (port: number) => string, transports: readonly ('udp' | 'tcp')[]): Promise<Kamailio> {
  const folder = testFolder('kamailio');
  const port = freePort();
  await writeFile(join(folder, 'kamailio.cfg'), text(port));
  const kamailio = startProcess(toolPath('kamailio') ?? 'kamailio', {
    cwd: folder,
    args: ['-f', 'kamailio.cfg', '-DD', '-E', '-w', folder, '-Y', folder, '-m', '32', '-M', '4'],
  });
  await until(() => transports.every((transport) => isBound(transport, port)), {
    what: `kamailio to listen; it wrote ${kamailio.output()}`,
  });
  return {
    port,
    stop: async () => {
      await kamailio.end();
    },
  };
}

const configuration = (port: number, { callee, algorithm = 'MD5' }: KamailioOptions): string => `#!KAMAILIO
debug=1
log_stderror=yes
children=1
tcp_children=1
listen=udp:127.0.0.1:${port}
listen=tcp:127.0.0.1:${port}
auto_aliases=no
mpath="/usr/lib/x86_64-linux-gnu/kamailio/modules/:/usr/lib/aarch64-linux-gnu/kamailio/modules/"
loadmodule "tm.so"
loadmodule "sl.so"
loadmodule "rr.so"
loadmodule "pv.so"
loadmodule "maxfwd.so"
loadmodule "textops.so"
loadmodule "siputils.so"
loadmodule "auth.so"
modparam("auth", "nonce_expire", 300)
modparam("auth", "qop", "auth")
modparam("auth", "algorithm", "${algorithm}")
modparam("rr", "enable_double_rr", 1)
request_route {
  if (!mf_process_maxfwd_header("10")) { sl_send_reply("483", "Too Many Hops"); exit; }
  if (is_method("OPTIONS") && uri == myself) { sl_send_reply("200", "OK"); exit; }
  if (is_method("CANCEL")) { if (t_check_trans()) t_relay(); exit; }
  if (has_totag()) {
    if (loose_route()) { t_relay(); exit; }
    if (is_method("ACK") && t_check_trans()) { t_relay(); exit; }
    sl_send_reply("404", "Not here");
    exit;
  }
  if (is_method("INVITE")) {
    if (!pv_proxy_authenticate("${realm}", "${credentials.password}", "0")) { proxy_challenge("${realm}", "1"); exit; }
    consume_credentials();
  }
  record_route();
  $du = "sip:127.0.0.1:${callee.port};transport=${callee.transport}";
  t_relay();
}
`;
