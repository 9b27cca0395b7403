// The settings of one bind in the words of the SMPP library.

import type { BindConfig, OperatorConfig } from '../../config.ts';
import type { BindOptions } from '../../smpp/index.ts';

type Settings = Omit<BindOptions, 'onDeliver' | 'onLateAnswer' | 'observer'>;

export function bindOptions(operator: OperatorConfig, bind: BindConfig): Settings {
  const { host, port, systemId, password, systemType, type, tls } = bind;
  return {
    host,
    port,
    systemId,
    password,
    systemType,
    type,
    tls: tls && {
      rejectUnauthorized: tls.rejectUnauthorized,
      ...(tls.ca === null ? {} : { ca: tls.ca }),
      ...(tls.servername === null ? {} : { servername: tls.servername }),
    },
    window: operator.window,
    responseTimeoutMs: operator.responseTimeoutMs,
    enquireLinkIdleMs: operator.enquireLinkIdleSeconds * 1000,
    enquireLinkMisses: operator.enquireLinkMisses,
  };
}
