// Words of the contract in Go: a type with constants for each set, error codes, and what webhooks and the fake must know.

import type { Client } from '../client.ts';
import type { Contract } from '../contract.ts';
import type { Model } from '../model.ts';
import { modulePath } from './module.ts';
import { constantName, doc, goFile, goName, label } from './text.ts';

/** A type for every value set, error codes and event types included, with a constant for each word of today: sets grow. */
export function valuesFile({ contract: { valueSets }, wordsName }: Model): string {
  const seen = new Set<string>();
  return goFile(
    'ramz',
    [],
    valueSets.flatMap(({ name, description, values }) => {
      const type = goName(wordsName(name));
      const lines = values.map((value) => {
        const constant = constantName(name, value.name);
        if (seen.has(constant)) throw new Error(`two constants ${constant}`);
        seen.add(constant);
        return `${doc(label(constant, value.description), '\t')}\n\t${constant} ${type} = ${JSON.stringify(value.name)}`;
      });
      return [
        `${doc(label(type, description))}\ntype ${type} string`,
        `${doc(`Values of [${type}] that this version knows.`)}\nconst (\n${lines.join('\n')}\n)`,
      ];
    }),
  );
}

/** What every error code means for the transport, and for the fake. */
export function errorsFile({ errorCodes }: Contract): string {
  const cases = errorCodes.map(
    ({ name, httpStatus, retry }) =>
      `\tcase ${JSON.stringify(name)}:\n\t\treturn Rules{Status: ${httpStatus}, Repeat: ${retry}}, true`,
  );
  return goFile(
    'codes',
    [],
    [
      `// RulesOf tells what the contract says of an error code; false for codes of the future.
func RulesOf(code string) (Rules, bool) {
	switch code {
${cases.join('\n')}
	}
	return Rules{}, false
}`,
    ],
  );
}

/** Which message the data of an event is. */
export function eventsFile({ eventTypes, message }: Contract): string {
  const types = [...new Set(eventTypes.map(({ data }) => data))];
  const cases = types.map((type) => {
    const names = eventTypes
      .filter(({ data }) => data === type)
      .map(({ name }) => `ramz.${constantName('event_type', name)}`);
    return `\tcase ${names.join(',\n\t\t')}:\n\t\treturn new(ramz.${goName(message(type).name)})`;
  });
  return goFile(
    'webhooks',
    [modulePath],
    [
      `// newData is an empty struct for the data of an event, or nil for types of the future.
func newData(eventType ramz.EventType) any {
	switch eventType {
${cases.join('\n')}
	}
	return nil
}`,
    ],
  );
}

/** Which operation a call of the fake is. */
export function routesFile({ resources }: Client): string {
  const lines = resources.flatMap(({ name, operations }) =>
    operations.flatMap((operation) =>
      operation.http
        ? [`\t{"${operation.http.verb.toUpperCase()} ${operation.http.path}", "${name}.${operation.name}"},`]
        : [],
    ),
  );
  return goFile(
    'ramztest',
    [],
    [
      `// routes are patterns of [http.ServeMux], and the operations they are.
var routes = []struct{ pattern, operation string }{
${lines.join('\n')}
}`,
    ],
  );
}
