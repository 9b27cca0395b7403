// What may not change inside v1 and buf does not see, because it stands in our options: routes, who may call, words, codes and what
// requests must hold. docs/versioning.md says it to clients.
import type { DescField, DescMessage, DescMethod } from '@bufbuild/protobuf';
import type { Contract, FieldRules } from '../../sdks/codegen/src/contract.ts';

/** Every break of a promise, named; empty: there is none. */
export function breaks(before: Contract, now: Contract): string[] {
  return [
    ...ofWords(before, now),
    ...ofErrors(before, now),
    ...ofEvents(before, now),
    ...ofOperations(before, now),
    ...ofRequests(before, now),
  ];
}

function ofWords(before: Contract, now: Contract): string[] {
  return before.valueSets.flatMap(({ name, values }) => {
    const set = now.valueSets.find((each) => each.name === name);
    const words = new Set(set?.values.map((value) => value.name));
    return values.filter((value) => !words.has(value.name)).map((value) => `${name}: the word ${value.name} is gone`);
  });
}

function ofErrors(before: Contract, now: Contract): string[] {
  return before.errorCodes.flatMap(({ name, httpStatus, grpcCode, details }) => {
    const code = now.errorCodes.find((each) => each.name === name);
    if (!code) return []; // A word that is gone.
    const kept = new Set(code.details.map((detail) => detail.name));
    return [
      ...differs(`error code ${name}: HTTP status`, httpStatus, code.httpStatus),
      ...differs(`error code ${name}: gRPC code`, grpcCode, code.grpcCode),
      ...details
        .filter((each) => !kept.has(each.name))
        .map((each) => `error code ${name}: the member ${each.name} is gone`),
    ];
  });
}

const ofEvents = (before: Contract, now: Contract): string[] =>
  before.eventTypes.flatMap(({ name, data }) => {
    const type = now.eventTypes.find((each) => each.name === name);
    return type ? differs(`event ${name}: data`, data, type.data) : [];
  });

function ofOperations(before: Contract, now: Contract): string[] {
  const methods = new Map(methodsOf(now).map((method) => [nameOf(method), method]));
  const statuses = statusesOf(before);
  return methodsOf(before).flatMap((old) => {
    const name = nameOf(old);
    const method = methods.get(name);
    if (!method) return [`${name} is gone`];
    const [was, is] = [before.methodRules(old), now.methodRules(method)];
    const known = statuses(old);
    return [
      ...differs(`${name}: route`, routeOf(before, old), routeOf(now, method)),
      ...differs(`${name}: access`, was.access, is.access),
      ...differs(`${name}: scope`, was.scope, is.scope),
      ...(was.idempotencyKey && !is.idempotencyKey ? [`${name} takes no Idempotency-Key any more`] : []),
      ...is.errors
        .map((code) => now.errorCodes.find((each) => each.name === code))
        .filter((code) => code && !known.has(code.httpStatus))
        .map((code) => `${name}: ${code?.name} brings the status ${code?.httpStatus}, which it never answered`),
    ];
  });
}

/** HTTP statuses of an operation: those of its own codes, and of the codes that no operation names, which any call may get. */
function statusesOf(contract: Contract): (method: DescMethod) => Set<number> {
  const own = new Set(methodsOf(contract).flatMap((method) => contract.methodRules(method).errors));
  const shared = contract.errorCodes.filter(({ name }) => !own.has(name));
  return (method) => {
    const named = new Set(contract.methodRules(method).errors);
    const codes = [...shared, ...contract.errorCodes.filter(({ name }) => named.has(name))];
    return new Set(codes.map(({ httpStatus }) => httpStatus));
  };
}

function ofRequests(before: Contract, now: Contract): string[] {
  const found: string[] = [];
  const seen = new Set<string>();
  const visit = (old: DescMessage, message: DescMessage): void => {
    if (seen.has(old.typeName) || !old.typeName.startsWith('ramz.')) return;
    seen.add(old.typeName);
    for (const field of message.fields) {
      const was = old.fields.find(({ name }) => name === field.name);
      found.push(...ofField(`${old.name}.${field.name}`, was, before.rules, now.rules(field)));
      if (was?.message && field.message) visit(was.message, field.message);
    }
    const needed = new Set(
      before.groups(old).flatMap(({ fields, required }) => (required ? [fields.join(' or ')] : [])),
    );
    for (const { fields, required } of now.groups(message)) {
      if (required && !needed.has(fields.join(' or ')))
        found.push(`${old.name}: one of ${fields.join(' or ')} must be given now`);
    }
  };
  for (const old of methodsOf(before)) {
    const method = methodsOf(now).find((each) => nameOf(each) === nameOf(old));
    if (method) visit(old.input, method.input);
  }
  return found;
}

function ofField(
  name: string,
  old: DescField | undefined,
  rulesOf: (field: DescField) => FieldRules | undefined,
  is: FieldRules | undefined,
): string[] {
  if (!old) return is?.required ? [`${name} is new and required`] : [];
  const was = rulesOf(old);
  const narrower = (what: 'maxLength' | 'maximum' | 'maxItems') =>
    (is?.[what] ?? Number.POSITIVE_INFINITY) < (was?.[what] ?? Number.POSITIVE_INFINITY)
      ? [`${name}: ${what} is ${is?.[what]}`]
      : [];
  const wider = (what: 'minLength' | 'minimum' | 'minItems') =>
    (is?.[what] ?? Number.NEGATIVE_INFINITY) > (was?.[what] ?? Number.NEGATIVE_INFINITY)
      ? [`${name}: ${what} is ${is?.[what]}`]
      : [];
  return [
    ...(is?.required && !was?.required ? [`${name} is required now`] : []),
    ...(is?.unique && !was?.unique ? [`${name} must be unique now`] : []),
    ...(is?.pattern && is.pattern !== was?.pattern ? [`${name}: the pattern is ${is.pattern}`] : []),
    ...(is?.values && is.values !== was?.values ? [`${name}: the words are ${is.values}`] : []),
    ...differs(`${name}: error code`, was?.errorCode ?? '', is?.errorCode ?? ''),
    ...narrower('maxLength'),
    ...narrower('maximum'),
    ...narrower('maxItems'),
    ...wider('minLength'),
    ...wider('minimum'),
    ...wider('minItems'),
  ];
}

const methodsOf = ({ services }: Contract): DescMethod[] => services.flatMap(({ methods }) => methods);
const nameOf = ({ parent, name }: DescMethod): string => `${parent.name}.${name}`;

function routeOf(contract: Contract, method: DescMethod): string {
  const rule = contract.http(method);
  return rule ? `${rule.verb} ${rule.path} ${rule.body} ${rule.responseBody}` : 'none';
}

const differs = (what: string, before: string | number, now: string | number): string[] =>
  before === now ? [] : [`${what} was ${before || 'none'} and is ${now || 'none'}`];
