// Templates of business accounts: kept here, looked up when a message names one, reviewed after a while. What a request to
// create one must look like is in template-schema.ts.

import type { Clock } from '../clock.ts';
import { Schedule } from '../smsc/schedule.ts';
import { newNodeId } from './ids.ts';
import type { TemplateRequest } from './template-schema.ts';
import { languageOf } from './template-words.ts';

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
  /** How long the platform tries to deliver, seconds; null: as long as it likes. */
  ttlSeconds: number | null;
}

export interface TemplatesOptions {
  clock: Clock;
  /** From creation to the review's result. Milliseconds. */
  reviewMs: number;
  /** What the review decides, asked when it ends; null: nothing, someone else must. */
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

  /** Kept as PENDING and reviewed by itself, unless someone decides before. */
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

  /** In every language. False when there is none. */
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
