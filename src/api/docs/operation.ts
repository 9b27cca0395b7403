// One operation, or one webhook, as a section of the page.

import { type Html, html, inline, prose, slug } from './html.ts';
import { type Content, type OpenApi, type Operation, type Parameter, refName, type Schema } from './openapi.ts';
import { fieldRow, fieldTable } from './schema.ts';

export function operationSection(document: OpenApi, verb: string, path: string, operation: Operation): Html {
  const parameters = (operation.parameters ?? []).map((each) => resolve(document, each));
  return html`<section id="${slug(operation.operationId)}">
<h3>${operation.summary}</h3>
<p class="route"><span class="verb ${verb}">${verb.toUpperCase()}</span> <code>${path}</code> ${who(operation)}</p>
${prose(operation.description)}
${parameters.length > 0 && html`<h4>Parameters</h4><table>${parameters.map(parameterRow)}</table>`}
${operation.requestBody && html`<h4>Request</h4>${body(document, operation.requestBody)}`}
${sample(document, verb, path, operation)}
${Object.entries(operation.responses).map(([status, answer]) => response(document, status, answer))}
</section>`;
}

export function webhookSection(document: OpenApi, type: string, { description, requestBody }: Operation): Html {
  const data = requestBody?.content?.['application/json'].schema.properties?.data ?? {};
  const name = data.$ref ? refName(data.$ref) : '';
  return html`<section id="webhook-${slug(type)}">
<h3><code>${type}</code></h3>${prose(description)}
<details><summary><code>data</code> is <code>${name}</code></summary>${fieldTable(named(document, data))}</details>
</section>`;
}

function who(operation: Operation): Html {
  const kinds = (operation.security ?? []).map((each) => Object.keys(each)[0]);
  if (kinds[0] === 'apiKey')
    return html`<span class="quiet">API key with the scope <code>${operation['x-scope'] ?? ''}</code></span>`;
  if (kinds[0] !== 'adminToken') return html`<span class="quiet">anyone</span>`;
  return html`<span class="quiet">admin token${kinds.length > 1 && '; anyone where registration is open'}</span>`;
}

const parameterRow = ({ name, schema, description, required, in: where, example }: Parameter): Html =>
  fieldRow(
    where === 'header' ? `${name}:` : name,
    { ...schema, ...(description ? { description } : {}), ...(example === undefined ? {} : { examples: [example] }) },
    required ?? false,
  );

function body(document: OpenApi, content: Content): Html {
  return fieldTable(named(document, content.content?.['application/json'].schema ?? {}));
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

/** A call to paste. Only what must be given, so that it is short enough to read. */
function sample(document: OpenApi, verb: string, path: string, operation: Operation): Html {
  const parts = [`curl ${verb === 'get' ? '' : `-X ${verb.toUpperCase()} `}"$RAMZ_BASE_URL${path}"`];
  if ((operation.security ?? []).length > 0) parts.push('-H "Authorization: Bearer $RAMZ_API_KEY"');
  if (operation.requestBody) {
    const schema = named(document, operation.requestBody.content?.['application/json'].schema ?? {});
    parts.push('-H "Content-Type: application/json"', `-d '${JSON.stringify(example(document, schema))}'`);
  }
  return html`<pre><code>${parts.join(' \\\n  ')}</code></pre>`;
}

function example(document: OpenApi, schema: Schema): Record<string, unknown> {
  const wanted = new Set([...(schema.required ?? []), ...(schema.oneOf?.[0]?.required ?? [])]);
  const fields = Object.entries(schema.properties ?? {});
  const picked = wanted.size > 0 ? fields.filter(([name]) => wanted.has(name)) : fields.slice(0, 1);
  return Object.fromEntries(
    picked.map(([name, field]) => [
      name,
      field.examples?.[0] ?? (field.$ref ? example(document, named(document, field)) : null),
    ]),
  );
}

function named(document: OpenApi, schema: Schema): Schema {
  return schema.$ref ? (document.components.schemas[refName(schema.$ref)] ?? {}) : schema;
}

function resolve(document: OpenApi, parameter: Parameter): Parameter {
  return parameter.$ref ? (document.components.parameters[refName(parameter.$ref)] ?? parameter) : parameter;
}
