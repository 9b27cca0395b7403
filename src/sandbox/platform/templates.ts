// Authentication templates of business accounts: the documented request, the platform's own words, reviews and rendering.
// Businesses choose a template's parts and never its words, so the words stand here.

import { z } from 'zod';
import { type Clock, Schedule } from '../clock.ts';
import type { Response } from '../http/server.ts';
import { newNodeId } from './accounts.ts';
import { graphError } from './call.ts';

interface Words {
  /** `{{1}}` is the code. */
  body: string;
  recommendation: string;
  expiry(minutes: number): string;
  copy: string;
}

const words: Readonly<Record<string, Words>> = {
  en: {
    body: '*{{1}}* is your code.',
    recommendation: 'Keep it to yourself.',
    expiry: (minutes) => `Valid for ${minutes} minutes.`,
    copy: 'Copy code',
  },
  fr: {
    body: '*{{1}}* est votre code.',
    recommendation: 'Gardez-le pour vous.',
    expiry: (minutes) => `Valable ${minutes} minutes.`,
    copy: 'Copier le code',
  },
  ar: {
    body: 'رمزك هو *{{1}}*.',
    recommendation: 'احتفظ به لنفسك.',
    expiry: (minutes) => `صالح لمدة ${minutes} دقيقة.`,
    copy: 'نسخ الرمز',
  },
};

/** Languages the sandbox's platform speaks; `en_US` counts as `en`. */
const languageOf = (code: string): Words | undefined => words[code.split('_')[0] ?? ''];

export const templateLanguages = Object.keys(words);

/** The platform takes types in either case and keeps them in capitals. */
const word = <T extends string>(...values: [T, ...T[]]) =>
  z
    .string()
    .transform((value) => value.toUpperCase())
    .pipe(z.enum(values));

const body = z.strictObject({ type: word('BODY'), add_security_recommendation: z.boolean().optional() });
const footer = z.strictObject({ type: word('FOOTER'), code_expiration_minutes: z.int().min(1).max(90) });
const buttons = z.strictObject({
  type: word('BUTTONS'),
  buttons: z
    .array(
      z.strictObject({
        type: word('OTP'),
        otp_type: word('COPY_CODE'),
        text: z.string().min(1).max(25).optional(),
      }),
    )
    .length(1),
});

const requestSchema = z.strictObject({
  name: z.string().regex(/^[a-z0-9_]{1,512}$/),
  language: z.string().refine((code) => languageOf(code) !== undefined, 'not a language of the sandbox'),
  category: word('AUTHENTICATION'),
  /** 30-900 for authentication; -1 = the platform's own, thirty days. */
  message_send_ttl_seconds: z.union([z.int().min(30).max(900), z.literal(-1)]).optional(),
  components: z
    .array(z.union([body, footer, buttons]))
    .refine((all) => all.some(({ type }) => type === 'BODY'), 'a BODY is required')
    .refine((all) => all.some(({ type }) => type === 'BUTTONS'), 'BUTTONS with an OTP button are required')
    .refine((all) => new Set(all.map(({ type }) => type)).size === all.length, 'a component is there twice'),
});

type TemplateRequest = z.output<typeof requestSchema>;

type ReadTemplate = { kind: 'ok'; request: TemplateRequest } | { kind: 'refused'; answer: Response };

export function readTemplate(input: Record<string, unknown>): ReadTemplate {
  const parsed = requestSchema.safeParse(input);
  if (parsed.success) return { kind: 'ok', request: parsed.data };
  const text = z.prettifyError(parsed.error);
  const user = { title: 'The template can not be created', text };
  return { kind: 'refused', answer: graphError(100, { message: 'Invalid parameter', subcode: 2388019, user }) };
}

export function templateExists(language: string): Response {
  const user = { title: 'A template of this name is there', text: `It has content in ${language} already.` };
  return graphError(100, { message: 'Invalid parameter', subcode: 2388024, user });
}

export type TemplateStatus = 'PENDING' | 'APPROVED' | 'REJECTED' | 'PAUSED' | 'DISABLED';

export interface Template {
  id: string;
  wabaId: string;
  name: string;
  language: string;
  category: 'AUTHENTICATION';
  status: TemplateStatus;
  /** NONE unless rejected. */
  rejectedReason: string;
  securityRecommendation: boolean;
  /** Null: no footer. */
  expirationMinutes: number | null;
  buttonText: string;
  /** How long the platform tries to deliver, seconds; null = the platform's own default. */
  ttlSeconds: number | null;
}

interface TemplatesOptions {
  clock: Clock;
  /** From creation to the review's result. Milliseconds. */
  reviewMs: number;
  /** The review's decision, read when the review ends; null = the review decides nothing, and a test must. */
  reviewResult(): TemplateStatus | null;
  onReviewed(template: Template): void;
}

export class Templates {
  readonly #options: TemplatesOptions;
  readonly #schedule: Schedule;
  readonly #all = new Map<string, Template>();

  constructor(options: TemplatesOptions) {
    this.#options = options;
    this.#schedule = new Schedule(options.clock);
  }

  find(wabaId: string, name: string, language: string): Template | undefined {
    return this.of(wabaId).find((template) => template.name === name && template.language === language);
  }

  byId(id: string): Template | undefined {
    return this.#all.get(id);
  }

  of(wabaId: string): Template[] {
    return [...this.#all.values()].filter((template) => template.wabaId === wabaId);
  }

  /** Keeps a template as PENDING; its review ends by itself, unless a test decides before. */
  create(wabaId: string, request: TemplateRequest, status: TemplateStatus = 'PENDING'): Template {
    const { name, language, components, message_send_ttl_seconds } = request;
    const part = (type: string) => components.find((component) => component.type === type);
    const [body, footer, buttons] = [part('BODY'), part('FOOTER'), part('BUTTONS')];
    const template: Template = {
      id: newNodeId(),
      wabaId,
      name,
      language,
      category: 'AUTHENTICATION',
      status,
      rejectedReason: 'NONE',
      securityRecommendation: body?.type === 'BODY' && body.add_security_recommendation === true,
      expirationMinutes: footer?.type === 'FOOTER' ? footer.code_expiration_minutes : null,
      buttonText: (buttons?.type === 'BUTTONS' && buttons.buttons[0]?.text) || (languageOf(language)?.copy ?? ''),
      ttlSeconds: message_send_ttl_seconds ?? null,
    };
    this.#all.set(template.id, template);
    if (status === 'PENDING') {
      this.#schedule.later(template, this.#options.reviewMs, () => {
        const result = this.#options.reviewResult();
        if (result !== null) this.decide(template, result);
      });
    }
    return template;
  }

  /** The review's result, or a later turn of it. */
  decide(template: Template, status: TemplateStatus, reason = 'NONE'): void {
    this.#schedule.forget(template);
    template.status = status;
    template.rejectedReason = reason;
    this.#options.onReviewed(template);
  }

  /** Removes a template in every language. False when there is none. */
  remove(wabaId: string, name: string): boolean {
    const gone = this.of(wabaId).filter((template) => template.name === name);
    for (const template of gone) {
      this.#schedule.forget(template);
      this.#all.delete(template.id);
    }
    return gone.length > 0;
  }

  stop(): void {
    this.#schedule.stop();
  }
}

/** The template's text with the code in it, as the phone shows it. */
export function render(template: Template, code: string): string {
  const { body, footer } = textsOf(template);
  // A function: `$&` in a parameter is no pattern.
  return [body.replace('*{{1}}*', () => code), footer].filter((line) => line !== null).join('\n');
}

/** As GET shows it: the button has become a URL button by then. */
export function shown(template: Template): Record<string, unknown> {
  const { id, name, language, status, category, ttlSeconds, rejectedReason } = template;
  const { body, footer } = textsOf(template);
  const url = 'https://www.whatsapp.com/otp/code/?otp_type=COPY_CODE&code=otp{{1}}';
  return {
    id,
    name,
    language,
    status,
    category,
    parameter_format: 'POSITIONAL',
    rejected_reason: rejectedReason,
    ...(ttlSeconds === null ? {} : { message_send_ttl_seconds: ttlSeconds }),
    components: [
      {
        type: 'BODY',
        text: body,
        add_security_recommendation: template.securityRecommendation,
        example: { body_text: [['123456']] },
      },
      ...(footer === null
        ? []
        : [{ type: 'FOOTER', text: footer, code_expiration_minutes: template.expirationMinutes }]),
      { type: 'BUTTONS', buttons: [{ type: 'URL', text: template.buttonText, url, example: [`${url}123456`] }] },
    ],
  };
}

function textsOf({ language, securityRecommendation, expirationMinutes }: Template) {
  const words = languageOf(language);
  const body = words?.body ?? '*{{1}}*';
  return {
    body: securityRecommendation && words ? `${body} ${words.recommendation}` : body,
    footer: expirationMinutes === null || !words ? null : words.expiry(expirationMinutes),
  };
}
