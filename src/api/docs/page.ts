// The page at /docs/plain, for browsers without scripts and while no viewer is built: made from openapi.json, so that it cannot disagree
// with the contract. It has no script and needs no outside host.

import { type Html, html, inline, prose, slug } from '../../pages/html.ts';
import { look } from '../../pages/look.ts';
import {
  type Content,
  fieldRow,
  fieldTable,
  isObject,
  type Named,
  type OpenApi,
  type Operation,
  type Parameter,
  refName,
} from './schema.ts';

/** @param openapiAddress of the document, as the page can reach it behind whatever path. */
export function plainPage(document: OpenApi, openapiAddress: string): string {
  const { info, tags, webhooks, components } = document;
  const operations = Object.entries(document.paths).flatMap(([path, verbs]) =>
    Object.entries(verbs).map(([verb, operation]) => ({ path, verb, operation })),
  );
  const of = (tag: string) => operations.filter(({ operation }) => operation.tags.includes(tag));
  const sections = tags.map(
    ({ name, description }) => html`<h2 id="tag-${slug(name)}">${name}</h2>${prose(description)}
${of(name).map(({ verb, path, operation }) => operationSection(document, verb, path, operation))}`,
  );
  const page = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${info.title} API</title><style>${{ html: look + style }}</style></head><body>
<nav><strong>${info.title} ${info.version}</strong>
${tags.map(({ name }) => html`<b>${name}</b>${of(name).map(({ operation }) => link(operation))}`)}
<b>Webhooks</b>${Object.keys(webhooks).map((type) => html`<a href="#webhook-${slug(type)}">${type}</a>`)}
<b>Reference</b><a href="#errors">Errors</a><a href="#words">Values</a><a href="#objects">Objects</a></nav>
<main><h1>${info.title}</h1><p>${info.summary}</p>${prose(info.description)}
<p><a href="${openapiAddress}">openapi.json</a> is the same for programs (OpenAPI 3.1).</p>
${sections}
<h2 id="webhooks">Webhooks</h2>
<p>Posted to the account's endpoints, signed after Standard Webhooks. The body is a
<a href="#schema-webhookevent">WebhookEvent</a>; what its <code>data</code> holds, its <code>type</code> decides.</p>
${Object.entries(webhooks).map(([type, { post }]) => webhookSection(document, type, post))}
<h2 id="errors">Errors</h2>${fieldTable(components.schemas.ApiError ?? {}, namedIn(document))}
<h2 id="words">Values</h2><p>Of text fields. Accept values that you do not know: sets grow.</p>${wordLists(document)}
<h2 id="objects">Objects</h2>${objects(document)}
</main></body></html>`;
  return page.html;
}

const link = ({ operationId, summary }: Operation): Html => html`<a href="#${slug(operationId)}">${summary}</a>`;

function wordLists(document: OpenApi): Html[] {
  return Object.entries(document['x-value-sets']).map(([name, { description, values }]) => {
    const rows = Object.entries(values).map(
      ([word, meaning]) => html`<tr><td><code>${word}</code></td><td>${inline(meaning)}</td></tr>`,
    );
    return html`<details><summary><code>${name}</code> ${inline(description)}</summary><table>${rows}</table></details>`;
  });
}

function objects(document: OpenApi): Html[] {
  const { schemas } = document.components;
  return Object.entries(schemas)
    .filter(([, schema]) => isObject(schema))
    .map(
      ([name, schema]) =>
        html`<section id="schema-${slug(name)}"><h3>${name}</h3>${schema.description && prose(schema.description)}${fieldTable(schema, namedIn(document))}</section>`,
    );
}

/** One operation, or one webhook, as a section of the page. */
function operationSection(document: OpenApi, verb: string, path: string, operation: Operation): Html {
  const parameters = (operation.parameters ?? []).map((each) => resolve(document, each));
  return html`<section id="${slug(operation.operationId)}">
<h3>${operation.summary}</h3>
<p class="route"><span class="verb ${verb}">${verb.toUpperCase()}</span> <code>${path}</code> ${who(operation)}</p>
${prose(operation.description)}
${parameters.length > 0 && html`<h4>Parameters</h4><table>${parameters.map((each) => parameterRow(each, namedIn(document)))}</table>`}
${operation.requestBody && html`<h4>Request</h4>${body(document, operation.requestBody)}`}
${sample(operation)}
${Object.entries(operation.responses).map(([status, answer]) => response(document, status, answer))}
</section>`;
}

function webhookSection(document: OpenApi, type: string, { description, requestBody }: Operation): Html {
  const named = namedIn(document);
  const event = named(requestBody?.content?.['application/json'].schema ?? {});
  const data = event.properties?.data ?? {};
  const name = data.$ref ? refName(data.$ref) : '';
  return html`<section id="webhook-${slug(type)}">
<h3><code>${type}</code></h3>${prose(description)}
<details><summary><code>data</code> is <code>${name}</code></summary>${fieldTable(named(data), named)}</details>
</section>`;
}

function who(operation: Operation): Html {
  const kinds = (operation.security ?? []).map((each) => Object.keys(each)[0]);
  if (kinds[0] === undefined) return html`<span class="quiet">anyone</span>`;
  const what = kinds[0] === 'apiKey' ? 'API key' : "administrator's token";
  const others = kinds.length > 1 && '; anyone where registration is open';
  return html`<span class="quiet">${what} with the scope <code>${operation['x-scope'] ?? ''}</code>${others}</span>`;
}

function parameterRow({ name, schema, description, required, in: where, example }: Parameter, named: Named): Html {
  const said = { ...(description ? { description } : {}), ...(example === undefined ? {} : { examples: [example] }) };
  const row = { name: where === 'header' ? `${name}:` : name, field: { ...schema, ...said } };
  return fieldRow({ ...row, mark: required === true && 'required' }, named);
}

function body(document: OpenApi, { content }: Content): Html {
  const schema = content?.['text/event-stream']?.['x-event-data'] ?? content?.['application/json'].schema;
  const named = namedIn(document);
  return fieldTable(named(schema ?? {}), named);
}

function response(document: OpenApi, status: string, answer: Content): Html {
  const codes = answer['x-error-codes'];
  const meanings = document['x-value-sets'].error_code?.values ?? {};
  if (codes) {
    const rows = codes.map(
      (code) => html`<tr><td><code>${code}</code></td><td>${inline(meanings[code] ?? '')}</td></tr>`,
    );
    return html`<details><summary>${status} · ${codes.length} error code${codes.length > 1 && 's'}</summary><table>${rows}</table></details>`;
  }
  return html`<h4>${status}</h4>${prose(answer.description ?? '')}${answer.content && html`<details open><summary>Answer</summary>${body(document, answer)}</details>`}`;
}

/** A call to paste. */
function sample(operation: Operation): Html | undefined {
  const source = operation['x-codeSamples']?.find(({ label }) => label === 'curl')?.source;
  return source === undefined ? undefined : html`<pre><code>${source}</code></pre>`;
}

const namedIn =
  ({ components }: OpenApi): Named =>
  (schema) =>
    schema.$ref ? (components.schemas[refName(schema.$ref)] ?? {}) : schema;

function resolve(document: OpenApi, parameter: Parameter): Parameter {
  return parameter.$ref ? (document.components.parameters[refName(parameter.$ref)] ?? parameter) : parameter;
}

const style = `
* { box-sizing: border-box; }
html { scroll-behavior: smooth; scroll-padding-top: 1rem; }
body { margin: 0; display: grid; grid-template-columns: 17rem minmax(0, 1fr); color: var(--ink); background: var(--paper); font: 15px/1.6 system-ui, sans-serif; }
nav { position: sticky; top: 0; height: 100vh; overflow-y: auto; padding: 1.5rem 1rem; border-right: 1px solid var(--line); background: var(--soft); font-size: 14px; }
nav b { display: block; margin: 1.1rem 0 .2rem; }
nav a { display: block; padding: .1rem .5rem; color: inherit; text-decoration: none; border-radius: 4px; overflow: hidden; text-overflow: ellipsis; }
nav a:hover { background: var(--line); }
main { max-width: 56rem; padding: 2rem 2.5rem 6rem; }
h1 { margin: 0; font-size: 1.9rem; }
h2 { margin: 3.5rem 0 .5rem; padding-top: 1rem; border-top: 1px solid var(--line); }
h3 { margin: 2.5rem 0 .3rem; }
h4 { margin: 1.2rem 0 .3rem; color: var(--quiet); font-size: 13px; text-transform: uppercase; letter-spacing: .05em; }
a { color: var(--accent); }
code, pre { font: 13px/1.5 ui-monospace, monospace; }
code { background: var(--soft); border-radius: 4px; padding: .1em .3em; overflow-wrap: anywhere; }
pre { background: var(--soft); border: 1px solid var(--line); border-radius: 8px; padding: .8rem 1rem; overflow-x: auto; }
pre code { background: none; padding: 0; overflow-wrap: normal; }
table { width: 100%; border-collapse: collapse; }
td { padding: .5rem .6rem .5rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
td:first-child { width: 36%; }
.quiet { color: var(--quiet); font-size: 13px; }
.need { color: var(--accent); font-size: 12px; }
.route { margin: 0 0 .5rem; }
.verb { display: inline-block; min-width: 3.6rem; padding: .1rem .4rem; border-radius: 4px; font: 600 12px/1.5 ui-monospace, monospace; text-align: center; color: #fff; background: #475467; }
.get { background: #175cd3; } .post { background: #067647; } .patch { background: #93370d; } .delete { background: #b42318; }
summary { cursor: pointer; padding: .3rem 0; }
@media (max-width: 52rem) { body { display: block; } nav { position: static; height: auto; max-height: 40vh; } main { padding: 1.2rem; } }
`;
