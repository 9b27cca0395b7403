// Docstrings of operations, in Google's style: what one does, its arguments, what it answers, what it raises.

import type { Operation } from '../client.ts';
import { type Contract, comment, type Group } from '../contract.ts';
import { indented, pyName, wrap } from './text.ts';

export interface Parameter {
  name: string;
  type: string;
  required: boolean;
  description: string;
}

/** Lines of the docstring, without its quotes. */
export function documentation(contract: Contract, operation: Operation, parameters: readonly Parameter[]): string[] {
  const entry = (name: string, text: string): string[] => {
    const [first = '', ...more] = wrap(`${name}: ${text.replaceAll('\n\n', ' ')}`, 16);
    return [...indented([first], 4), ...indented(more, 8)];
  };
  const about = conditions(contract, operation);
  const codes = new Map(contract.errorCodes.map(({ name, description }) => [name, description]));
  const own = operation.errors.map((code) => wrap(`\`${code}\`: ${codes.get(code) ?? ''}`, 20));
  return [
    ...wrap(operation.description, 11),
    '',
    ...(about === '' ? [] : [...wrap(about, 8), '']),
    'Args:',
    ...parameters.flatMap(({ name, description }) => entry(name, description)),
    '',
    operation.kind === 'unary' ? 'Returns:' : 'Yields:',
    ...indented(wrap(answerOf(operation), 12), 4),
    '',
    'Raises:',
    ...entry(
      'ApiError',
      own.length > 0 ? 'The service refused. Beside the codes of any call:' : 'The service refused.',
    ),
    ...own.flatMap(([first = '', ...more]) => [...indented([`- ${first}`], 8), ...indented(more, 10)]),
    ...entry('NetworkError', 'No answer came.'),
  ];
}

function answerOf({ kind, items, answer, http, method }: Operation): string {
  if (kind === 'list' && items) return comment(items);
  const wrapped = method.output.fields.find(({ name }) => name === http?.responseBody);
  return comment(wrapped ?? answer);
}

/** What must hold between arguments, and which key the call needs. */
function conditions(contract: Contract, { method }: Operation): string {
  const groups = contract.groups(method.input);
  const names = ({ fields }: Group) => fields.map((name) => `\`${pyName(name)}\``);
  const { scope, access } = contract.methodRules(method);
  return [
    ...groups.map((group) => `Give ${group.required ? 'exactly' : 'at most'} one of ${names(group).join(' and ')}.`),
    ...(scope ? [`The key needs the scope \`${scope}\`.`] : []),
    ...(access === 'admin' ? ['The key is the token of an administrator.'] : []),
    ...(access === 'registration'
      ? ['The key is the token of an administrator, or any where registration is open.']
      : []),
  ].join(' ');
}
