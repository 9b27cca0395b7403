// Our OpenAPI document as the viewer is to have it. The document says everything; the viewer would send what is only an example, and does
// not know our way of saying a default.

interface Parameter {
  in?: string;
  required?: boolean;
  example?: unknown;
  examples?: Record<string, unknown>;
}

interface Schema {
  description?: string;
  properties?: Record<string, Schema>;
  default?: unknown;
  'x-default'?: unknown;
}

interface Operation {
  parameters?: Parameter[];
  requestBody?: { content?: Record<string, { examples?: Record<string, unknown> }> };
}

export interface OpenApi {
  paths: Record<string, Record<string, Operation>>;
  components: { parameters: Record<string, Parameter>; schemas: Record<string, Schema> };
}

/** Changes the document in place. */
export function forViewer(document: OpenApi): OpenApi {
  const { parameters, schemas } = document.components;
  const operations = Object.values(document.paths).flatMap((verbs) => Object.values(verbs));
  const names = operations.flatMap((operation) => Object.keys(examplesOf(operation)));
  for (const parameter of [...Object.values(parameters), ...operations.flatMap((each) => each.parameters ?? [])])
    showUnsent(parameter, [...new Set(names)]);
  for (const { properties = {} } of Object.values(schemas))
    for (const field of Object.values(properties)) sayDefault(field);
  return document;
}

const examplesOf = ({ requestBody }: Operation): Record<string, unknown> =>
  requestBody?.content?.['application/json']?.examples ?? {};

/**
 * An example of what may be left out is shown, but not sent unless its box is ticked: a list would ask for the page behind a token of an
 * example. `names`: of the examples of bodies, because the viewer looks for the parameter's under the name that is chosen there.
 */
function showUnsent(parameter: Parameter, names: readonly string[]): void {
  const { example, required } = parameter;
  if (required || example === undefined) return;
  delete parameter.example;
  parameter.examples = Object.fromEntries(
    ['default', ...names].map((name) => [name, { value: example, 'x-disabled': true }]),
  );
}

/** The viewer only shows it, and sends the example. */
function sayDefault(field: Schema): void {
  const { 'x-default': usual } = field;
  if (typeof usual === 'string' || typeof usual === 'number') field.default = usual;
}
