// The sandbox's front page. Its queries go to the service by way of the sandbox, which adds the key: the page never has it.

import { createConnectTransport } from '@connectrpc/connect-web';
import { show } from '../ui/root.tsx';
import { connect } from './door/store.ts';
import { Page } from './page.tsx';

connect();
show(<Page />, createConnectTransport({ baseUrl: new URL('service', document.baseURI).href, useHttpGet: false }));
