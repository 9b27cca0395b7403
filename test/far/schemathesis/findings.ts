// What a run of Schemathesis found, read from its events, and what it may find.

export interface Finding {
  /** `GET /v1/api_keys` */
  operation: string;
  /** Kind of finding, status, error code and field: `RejectedPositiveData 400 invalid_page_token page_token`. */
  name: string;
  /** One request and its answer, to look into it. */
  request: string;
  answer: string;
}

/** Findings that are none, with the reason. */
export const allowed: readonly { pattern: RegExp; why: string }[] = [
  {
    pattern: /^RejectedPositiveData 400 invalid_page_token (page|replay)_token$/,
    why: 'the service gives tokens out, each for one list and its filters',
  },
  {
    pattern: /^RejectedPositiveData 400 invalid_signup_state state$/,
    why: 'the service gives the state of a signup out, and one call uses it up',
  },
  {
    pattern: /^RejectedPositiveData 400 invalid_argument state$/,
    why: 'an empty text is not given, so beside `code` it is missing; beside `access_token` it may be empty',
  },
  {
    pattern: /^RejectedPositiveData 400 invalid_argument last_event_id$/,
    why: 'the service gives the ids of events out. (In the header, Schemathesis takes values for valid that the pattern refuses.)',
  },
  {
    pattern: /^RejectedPositiveData 400 (invalid_phone_number to|invalid_argument value)$/,
    why: 'whether a number exists is in the plans of all countries; hooks.py replaces neither one in a path nor an entry of a list',
  },
  {
    pattern:
      /^RejectedPositiveData 400 invalid_argument (cascade|texts|autofill\.android_apps)\[\]\.(channel|language|app_hash)$/,
    why: 'each once in a list: JSON Schema compares whole items only',
  },
  {
    pattern:
      /^RejectedPositiveData 400 invalid_argument (client\.ip|(autofill\.web_origins|restrictions\.addresses)\[\])$/,
    why: 'a host that can be on the internet, an IP address or a network: more than a pattern should say',
  },
  {
    pattern: /^RejectedPositiveData 400 invalid_argument (allowed_prefixes|restrictions\.prefixes)\[\]$/,
    why: 'no prefix is a whole number, and how long numbers are is in the plans of all countries',
  },
  {
    pattern: /^RejectedPositiveData 400 no_route$/,
    why: 'a channel that the account leaves out: its state',
  },
  {
    pattern: /^RejectedPositiveData 400 invalid_argument (texts\[\]\.text|brand)$/,
    why: 'placeholders, digits and what fits in one SMS, together with the longest code, the brand and each autofill line',
  },
  {
    pattern:
      /^RejectedPositiveData 400 (invalid_argument default_sender_id|sender_id_not_approved sender_id|autofill_not_registered autofill\.\w+)$/,
    why: 'a name, a site or an app that is approved: the state of the account',
  },
  {
    pattern: /^RejectedPositiveData 400 invalid_argument code_length$/,
    why: 'beside `code` it is the number of its digits: two fields compared',
  },
  {
    pattern: /^RejectedPositiveData 400 invalid_argument (since|until|created_after|created_before)$/,
    why: 'one time after the other, and not too far apart: two fields compared',
  },
  {
    pattern: /^(UndefinedStatusCode|RejectedPositiveData) 405 method_not_allowed$/,
    why: 'an id that is `.` or `..` never arrives: clients take such segments out of a path (RFC 3986, section 5.2.4)',
  },
  {
    pattern: /^JsonSchemaError 200$/,
    why: 'of a stream: Schemathesis holds each event to the schema of the body, which is text',
  },
  {
    pattern: /^IgnoredAuth 429 too_many_failures$/,
    why: 'an address that has given twenty wrong keys within a minute is refused before its next one is looked up',
  },
  {
    pattern: /^RejectedPositiveData 400 invalid_argument group_by$/,
    why: 'two of the values exclude each other',
  },
];

interface Scenario {
  recorder: {
    checks: Record<string, { name: string; status: string; failure_info?: { failure: Failure } }[]>;
    interactions: Record<string, { request: Message & { method: string; uri: string }; response?: Message }>;
  };
}
interface Failure {
  type: string;
  operation: string;
  message: string;
}
interface Message {
  status_code?: number;
  body?: Bytes | null;
  content?: Bytes | null;
}
interface Bytes {
  $base64: string;
}

/** @param events as Schemathesis writes them, one JSON object a line. */
export function findingsOf(events: string): Finding[] {
  const found = new Map<string, Finding>();
  for (const line of events.split('\n').filter((each) => each.includes('"failure_info"'))) {
    const { ScenarioFinished: scenario } = JSON.parse(line) as { ScenarioFinished?: Scenario };
    if (!scenario) continue;
    const { checks, interactions } = scenario.recorder;
    for (const [id, results] of Object.entries(checks)) {
      for (const { failure_info } of results) {
        if (!failure_info) continue;
        const finding = findingOf(failure_info.failure, interactions[id]);
        found.set(`${finding.operation} ${finding.name}`, finding);
      }
    }
  }
  return [...found.values()];
}

function findingOf(
  { type, operation, message }: Failure,
  seen: Scenario['recorder']['interactions'][string] | undefined,
) {
  const answer = textOf(seen?.response?.content);
  const { code = '', field = '' } = errorOf(answer);
  const parts = [type, seen?.response?.status_code ?? '', code, field.replace(/\[\d+\]/g, '[]')];
  return {
    operation,
    name: parts.join(' ').trim(),
    request: `${seen?.request.method} ${seen?.request.uri} ${textOf(seen?.request.body)}`.slice(0, 1_000),
    answer: `${message}\n${answer}`.slice(0, 1_000),
  };
}

const textOf = (bytes: Bytes | null | undefined): string =>
  bytes ? Buffer.from(bytes.$base64, 'base64').toString() : '';

function errorOf(answer: string): { code?: string; field?: string } {
  try {
    return (JSON.parse(answer) as { error?: object }).error ?? {};
  } catch {
    return {};
  }
}
