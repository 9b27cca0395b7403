// The API's viewer: Scalar over our own openapi.json, at /docs. All addresses are relative to the page, because a proxy may have put the
// service under a path. Nothing is asked of another host, and nothing is kept in the browser but the theme.

import { forViewer, type OpenApi } from './document.ts';
import { mendBelow } from './mend.ts';

/** What the service tells the page; null: it gives no key away. */
interface Setup {
  api_key: string | null;
}

declare global {
  interface Window {
    /** The viewer's own script, loaded before this one. */
    Scalar: { createApiReference(selector: string, configuration: object): unknown };
  }
}

const here = (path: string): string => new URL(path, location.href).href;

const documentOf = async (): Promise<OpenApi> =>
  forViewer((await (await fetch(here('openapi.json'))).json()) as OpenApi);

async function setupOf(): Promise<Setup> {
  try {
    const response = await fetch(here('docs/setup.json'));
    return (await response.json()) as Setup;
  } catch {
    return { api_key: null };
  }
}

const [content, { api_key }] = await Promise.all([documentOf(), setupOf()]);

mendBelow(document.body);
window.Scalar.createApiReference('#reference', {
  content,
  // Calls go to where the page came from, whatever address the document has as its example.
  servers: [{ url: here('.').replace(/\/$/, ''), description: 'This service' }],
  authentication: {
    preferredSecurityScheme: 'apiKey',
    securitySchemes: { apiKey: { token: api_key ?? '' } },
  },
  // The samples of the document call our SDKs; the viewer's own only know HTTP.
  hiddenClients: true,
  theme: 'none',
  layout: 'modern',
  withDefaultFonts: false,
  documentDownloadType: 'json',
  operationTitleSource: 'summary',
  modelsSectionLabel: 'Objects',
  orderSchemaPropertiesBy: 'preserve',
  telemetry: false,
  persistAuth: false,
  showDeveloperTools: 'never',
  hideClientButton: true,
  agent: { disabled: true },
  mcp: { disabled: true },
  externalUrls: { dashboardUrl: '', registryUrl: '', proxyUrl: '', apiBaseUrl: '' },
});
