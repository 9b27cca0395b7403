// The guard of the sandbox's door against pages of other sites. A browser on the developer's machine reaches this port for any page it shows:
// by an address of the page's own name that it made point here (DNS rebinding), and by requests that need no leave.

import { isIP } from 'node:net';
import type { RequestHead, Response } from './server.ts';

/** Methods that change nothing here. */
const safe = new Set(['GET', 'HEAD', 'OPTIONS']);

/** `isOpen`: paths that are for other sites on purpose. `isGuarded`: paths below which even reading is for our pages alone. */
export function guard(isOpen: (path: string) => boolean, isGuarded: (path: string) => boolean) {
  return ({ method, path, headers }: RequestHead): Response | null => {
    if (isOpen(path)) return null;
    if (!isOurName(headers.host ?? '')) {
      return { status: 421, body: { error: 'use an IP address or localhost: this name is not known here' } };
    }
    if ((!safe.has(method) || isGuarded(path)) && isOtherSite(headers)) {
      return { status: 403, body: { error: 'pages of another origin may not do this' } };
    }
    return null;
  };
}

/** A name can be made to point here by its owner; an IP address cannot, and no one owns `localhost`. */
function isOurName(host: string): boolean {
  const [, v6, name = ''] = /^(?:\[([^\]]*)\]|([^:]*))(?::\d+)?$/.exec(host) ?? [];
  return v6 === undefined ? name.toLowerCase() === 'localhost' || isIP(name) === 4 : isIP(v6) === 6;
}

/** Another port of this machine is another origin, too. Programs that are no browsers send neither header. */
function isOtherSite({ host, origin, 'sec-fetch-site': site }: RequestHead['headers']): boolean {
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return true;
  return origin !== undefined && URL.parse(origin)?.host !== URL.parse(`http://${host}`)?.host;
}
