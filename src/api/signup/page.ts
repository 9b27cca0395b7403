// The page of an embedded signup as HTML, and its content security policy: it loads the platform's SDK, and nothing else from outside.
// Its scripts are in browser/.

import { wabaSteps } from '../../core/waba/link.ts';
import { html } from '../../pages/html.ts';
import { look } from '../../pages/look.ts';
import { type SignupLanguage, type SignupWords, wordsOf } from './words.ts';

/** The settings that the platform's window is opened with. */
export interface SignupSetup {
  appId: string;
  configId: string;
  /** The version of the Graph API: `v25.0`. */
  version: string;
  sdkUrl: string;
  /** Where the dialog is that takes the whole page. */
  dialogUrl: string;
  /** Where that dialog comes back to: this page, as the app at the platform allows it. */
  redirectUri: string;
  extras: Readonly<Record<string, unknown>>;
  allowedOrigins: readonly string[];
}

export interface PageInput {
  setup: SignupSetup;
  /** Name of the service. */
  brand: string;
  accountName: string;
  state: string;
  language: SignupLanguage;
  nonce: string;
  /** The platform's dialog came back with this code, or without one (empty); absent: it has not been there. */
  code?: string | null;
  /** The signup has led to a link already: how that stands is shown, and nothing can be started. */
  isUsed: boolean;
}

const names: Record<SignupLanguage, string> = { ar: 'العربية', fr: 'Français', en: 'English' };

export function signupPage(input: PageInput): string {
  const { accountName, language, nonce, isUsed } = input;
  const words = wordsOf(language);
  const hiddenIf = (isHidden: boolean) => ({ html: isHidden ? ' hidden' : '' });
  return shell({ ...input, path: pathOf(input), title: words.title }, [
    html`<h1>${words.title}</h1>`,
    html`<p class="for">${words.for.replace('{account}', () => accountName)}</p>`,
    html`<p id="intro"${hiddenIf(isUsed)}>${words.intro}</p>`,
    html`<button id="start" type="button" disabled${hiddenIf(isUsed)}>${words.start}</button>`,
    html`<p id="without"${hiddenIf(isUsed)}><a href="${dialogOf(input)}">${words.without_window}</a></p>`,
    html`<ol id="steps"${hiddenIf(!isUsed)}>${wabaSteps.map((step) => html`<li data-step="${step}">${words.steps[step]}</li>`)}</ol>`,
    html`<p id="note" role="status" aria-live="polite"></p>`,
    { html: `<script type="application/json" id="setup" nonce="${nonce}">${json(setupOf(input, words))}</script>` },
    html`<script type="module" nonce="${nonce}" src="${pathOf(input)}/signup.js"></script>`,
  ]);
}

/** The page for a state that is not good, or not any more. */
export function gonePage(input: Pick<PageInput, 'brand' | 'nonce' | 'language'>): string {
  const words = wordsOf(input.language);
  return shell({ ...input, path: signupPath, state: null, title: words.gone_title }, [
    html`<h1>${words.gone_title}</h1>`,
    html`<p id="note">${words.gone}</p>`,
  ]);
}

interface Shell {
  brand: string;
  language: SignupLanguage;
  nonce: string;
  title: string;
  /** Of the page, as browsers see it. */
  path: string;
  /** Links to the page in the other languages carry it; null: there are none. */
  state: string | null;
}

function shell({ brand, language, nonce, title, path, state }: Shell, body: { html: string }[]): string {
  const direction = language === 'ar' ? 'rtl' : 'ltr';
  const link = (other: SignupLanguage) => {
    const address = `${path}?${new URLSearchParams({ state: state ?? '', lang: other })}`;
    const current = other === language ? { html: ' aria-current="true"' } : '';
    return html`<a href="${address}" lang="${other}"${current}>${names[other]}</a>`;
  };
  const links = state === null ? '' : html`<nav>${(['ar', 'fr', 'en'] as const).map(link)}</nav>`;
  return html`<!doctype html>
<html lang="${language}" dir="${direction}"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex">
<title>${title}</title><style nonce="${nonce}">${{ html: look + style }}</style></head>
<body><main><p class="brand">${brand}</p>${body}</main>${links}</body></html>
`.html;
}

/** The full-page way: `state` says whose signup it is, and in which language. */
function dialogOf({ setup, state, language }: PageInput): string {
  const query = new URLSearchParams({
    client_id: setup.appId,
    redirect_uri: setup.redirectUri,
    config_id: setup.configId,
    response_type: 'code',
    override_default_response_type: 'true',
    state: `${state}.${language}`,
  });
  if (Object.keys(setup.extras).length > 0) query.set('extras', JSON.stringify(setup.extras));
  return `${setup.dialogUrl.replace(/\/+$/, '')}/${setup.version}/dialog/oauth?${query}`;
}

const setupOf = ({ setup, state, code, isUsed }: PageInput, words: SignupWords) => ({
  app_id: setup.appId,
  config_id: setup.configId,
  version: setup.version,
  extras: setup.extras,
  code: code ?? null,
  sdk_url: setup.sdkUrl,
  allowed_origins: setup.allowedOrigins,
  state,
  is_used: isUsed,
  path: pathOf({ setup }),
  words,
});

/** Inside a script element nothing may look like its end. */
const json = (value: unknown): string => JSON.stringify(value).replace(/</g, '\\u003c');

/**
 * Scripts of ours by nonce, the platform's SDK by its address; the SDK brings frames and calls of its own, to the allowed
 * origins only. No inline script, no form, no frame around the page.
 */
export function policyOf({ sdkUrl, allowedOrigins }: SignupSetup, nonce: string): string {
  const origins = allowedOrigins.flatMap(sources).join(' ');
  return [
    "default-src 'none'",
    `script-src 'nonce-${nonce}' ${new URL(sdkUrl).origin}`,
    `style-src 'nonce-${nonce}'`,
    `connect-src 'self' ${origins}`,
    `frame-src ${origins}`,
    `img-src ${origins}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/** An https origin stands for every host under it, too. */
function sources(origin: string): string[] {
  const { protocol, host } = new URL(origin);
  return protocol === 'https:' ? [origin, `https://*.${host}`] : [origin];
}

/** Where browsers find the page: a proxy may have it under a path of its own (`service.public_base_url`). */
const pathOf = ({ setup }: Pick<PageInput, 'setup'>): string => new URL(setup.redirectUri).pathname;

/** The address of the page of an embedded signup. */
export const signupPath = '/connect/messaging';

/** `base`: where browsers find the service. */
export function pageUrl(base: string, { state, language }: { state: string; language: string }): string {
  return `${base.replace(/\/+$/, '')}${signupPath}?${new URLSearchParams({ state, lang: language })}`;
}

/** The style of the signup's page: inline under a nonce, no outside font or image. */
const style = `
* { box-sizing: border-box; }
body { margin: 0; min-height: 100vh; display: flex; flex-direction: column; align-items: center; justify-content: center; gap: 1rem;
  padding: 1.5rem 1rem; background: var(--soft); color: var(--ink); font: 16px/1.6 system-ui, "Segoe UI", "Noto Sans Arabic", sans-serif; }
main { width: 100%; max-width: 30rem; padding: 2rem; background: var(--paper); border: 1px solid var(--line); border-radius: 1rem; }
.brand { margin: 0 0 1.25rem; font-weight: 600; color: var(--accent); }
h1 { margin: 0; font-size: 1.4rem; line-height: 1.3; }
.for { margin: .15rem 0 1rem; color: var(--quiet); font-weight: 500; overflow-wrap: anywhere; }
p { margin: 0 0 1.25rem; }
button { width: 100%; padding: .8rem 1rem; border: 0; border-radius: .6rem; background: var(--accent); color: var(--on-accent); font: inherit; font-weight: 600; cursor: pointer; }
button:disabled { opacity: .45; cursor: default; }
button:focus-visible, nav a:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
#without { margin: .75rem 0 0; text-align: center; font-size: .9rem; }
#without a { color: var(--quiet); }
#note { margin: 1rem 0 0; min-height: 1.6em; color: var(--quiet); }
#note:empty { min-height: 0; margin: 0; }
#note.good { color: var(--accent); font-weight: 600; }
#note.bad { color: var(--bad); }
[hidden] { display: none !important; }
ol { list-style: none; margin: 0; padding: 0; }
li { display: flex; gap: .75rem; align-items: baseline; padding: .3rem 0; color: var(--quiet); }
li::before { content: "○"; flex: none; width: 1.2em; text-align: center; }
li.done { color: var(--ink); }
li.done::before { content: "✓"; color: var(--accent); font-weight: 700; }
li.now { color: var(--ink); font-weight: 600; }
li.now::before { content: "●"; color: var(--accent); animation: pulse 1.2s ease-in-out infinite; }
li.failed { color: var(--bad); }
li.failed::before { content: "✕"; }
@keyframes pulse { 50% { opacity: .25; } }
@media (prefers-reduced-motion: reduce) { li.now::before { animation: none; } }
nav { display: flex; gap: 1.25rem; font-size: .9rem; }
nav a { color: var(--quiet); }
nav a[aria-current] { color: var(--ink); text-decoration: none; font-weight: 600; }
`;
