// Words of the contract in Go: message types under the package's own name, constants, error codes, and what webhooks and
// the fake must know.

import type { Client } from '../client.ts';
import { type Contract, comment } from '../contract.ts';
import { messagesPath, modulePath } from './module.ts';
import { constantName, doc, goFile, label } from './text.ts';

/** Aliases, so that users import one package. */
export function typesFile({ messages }: Client): string {
  return goFile(
    'ramz',
    [messagesPath],
    [
      ...messages.map(
        (message) => `${doc(label(message.name, comment(message)))}\ntype ${message.name} = ramzv1.${message.name}`,
      ),
    ],
  );
}

/**
 * How encoding/json writes and reads messages: as the service does. By reflection it would leave out what is false or 0,
 * and write times as seconds and nanoseconds.
 */
export function jsonFile({ messages }: Client): string {
  const names = messages.map(({ name }) => name).sort();
  return goFile(
    'ramzv1',
    ['google.golang.org/protobuf/encoding/protojson', 'google.golang.org/protobuf/proto'],
    [
      `func marshalJSON(m proto.Message) ([]byte, error) {
	return protojson.MarshalOptions{UseProtoNames: true, EmitDefaultValues: true}.Marshal(m)
}`,
      `func unmarshalJSON(data []byte, m proto.Message) error {
	return protojson.UnmarshalOptions{DiscardUnknown: true}.Unmarshal(data, m)
}`,
      ...names.flatMap((name) => [
        `// MarshalJSON writes the message as the service does: what is false, 0 or empty is there, what is absent is left out.
func (x *${name}) MarshalJSON() ([]byte, error) {
	return marshalJSON(x)
}`,
        `// UnmarshalJSON reads the message as the service writes it, and lets fields that are unknown here through.
func (x *${name}) UnmarshalJSON(data []byte) error {
	return unmarshalJSON(data, x)
}`,
      ]),
    ],
  );
}

/** Constants of every value set, error codes and event types included. They are plain strings: sets grow. */
export function valuesFile({ valueSets }: Contract): string {
  const seen = new Set<string>();
  return goFile(
    'ramz',
    [],
    [
      ...valueSets.map(({ name, description, values }) => {
        const lines = values.map((value) => {
          const constant = constantName(name, value.name);
          if (seen.has(constant)) throw new Error(`two constants ${constant}`);
          seen.add(constant);
          return `${doc(label(constant, value.description), '\t')}\n\t${constant} = ${JSON.stringify(value.name)}`;
        });
        return `${doc(description)}\nconst (\n${lines.join('\n')}\n)`;
      }),
    ],
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
    return `\tcase ${names.join(',\n\t\t')}:\n\t\treturn new(ramz.${message(type).name})`;
  });
  return goFile(
    'webhooks',
    ['google.golang.org/protobuf/proto', modulePath],
    [
      `// newData is an empty message for the data of an event, or nil for types of the future.
func newData(eventType string) proto.Message {
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
