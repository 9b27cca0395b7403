// The page at /docs, made once from openapi.json. No script, no outside host.

import { type Html, html, inline, prose, slug } from './html.ts';
import type { OpenApi, Operation } from './openapi.ts';
import { operationSection, webhookSection } from './operation.ts';
import { fieldTable } from './schema.ts';
import { style } from './style.ts';

export function docsPage(document: OpenApi): string {
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
<title>${info.title} API</title><style>${{ html: style }}</style></head><body>
<nav><strong>${info.title} ${info.version}</strong>
${tags.map(({ name }) => html`<b>${name}</b>${of(name).map(({ operation }) => link(operation))}`)}
<b>Webhooks</b>${Object.keys(webhooks).map((type) => html`<a href="#webhook-${slug(type)}">${type}</a>`)}
<b>Reference</b><a href="#errors">Errors</a><a href="#words">Words</a><a href="#objects">Objects</a></nav>
<main><h1>${info.title}</h1><p>${info.summary}</p>${prose(info.description)}
<p><a href="/openapi.json">openapi.json</a> is the same for programs (OpenAPI 3.1).</p>
${sections}
<h2 id="webhooks">Webhooks</h2>
<p>Posted to the account's endpoints, signed after Standard Webhooks. The body is a
<a href="#schema-webhookevent">WebhookEvent</a>; what its <code>data</code> holds, its <code>type</code> decides.</p>
${Object.entries(webhooks).map(([type, { post }]) => webhookSection(document, type, post))}
<h2 id="errors">Errors</h2>${fieldTable(components.schemas.Error?.properties?.error ?? {})}
<h2 id="words">Words</h2><p>What string fields say. Accept words you do not know: sets grow.</p>${wordLists(document)}
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
  return Object.entries(document.components.schemas).map(
    ([name, schema]) =>
      html`<section id="schema-${slug(name)}"><h3>${name}</h3>${schema.description && prose(schema.description)}${fieldTable(schema)}</section>`,
  );
}
