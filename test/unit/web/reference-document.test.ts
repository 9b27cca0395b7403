// What the viewer of the API gets in place of our own document: nothing is sent that is only an example, no rule is lost.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { forViewer, type OpenApi } from '../../../web/reference/document.ts';

const text = readFileSync(new URL('../../../src/gen/openapi.json', import.meta.url), 'utf8');
const before = JSON.parse(text) as OpenApi;
const after = forViewer(JSON.parse(text) as OpenApi);

const parametersOf = ({ components, paths }: OpenApi) => [
  ...Object.values(components.parameters),
  ...Object.values(paths).flatMap((verbs) => Object.values(verbs).flatMap(({ parameters = [] }) => parameters)),
];

test('the example of what may be left out is unticked, under every name that the viewer may ask for', () => {
  const optional = parametersOf(before).map(({ required, example }) => !required && example !== undefined);
  expect(optional).toContain(true);
  for (const [index, parameter] of parametersOf(after).entries()) {
    if (!optional[index]) continue;
    expect(parameter.example).toBeUndefined();
    expect(Object.keys(parameter.examples ?? {})).toEqual(expect.arrayContaining(['default', 'minimal', 'full']));
    for (const example of Object.values(parameter.examples ?? {}))
      expect(example).toMatchObject({ 'x-disabled': true });
  }
});

test('what stands in a path keeps its example', () => {
  const [send] = parametersOf(after).filter((parameter) => parameter.in === 'path');
  expect(send).toMatchObject({ required: true, example: expect.stringMatching(/^\w+_\w{26}$/) });
});

test('the default of a field in a body is shown, where it is one value', () => {
  const { properties = {} } = after.components.schemas.RotateWebhookSecretRequest ?? {};
  expect(properties.keep_previous_seconds).toMatchObject({ default: 86_400 });
});
