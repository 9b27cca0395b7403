// The messaging platform as a whole: a Graph API under `/graph` of the sandbox's HTTP port, with the documented shapes and limits,
// webhooks, and the signup dialog. It shares no code with the service's channel: a mistake in one must show at the other.

import { type Clock, Schedule } from '../clock.ts';
import type { Request, Response } from '../http/server.ts';
import type { Inbox } from '../inbox.ts';
import { type MoodWord, slowMs } from '../views.ts';
import { Accounts, type PlatformIdentity, sandboxIdentity } from './accounts.ts';
import { graphError } from './call.ts';
import { PlatformFaults } from './faults.ts';
import { graph } from './graph.ts';
import { documentedLimits, Messages, SendLimiter, type SendLimits } from './messages.ts';
import { Notifier } from './notifier.ts';
import { Codes } from './oauth.ts';
import { finishSignup, notifyPartner, type SignupContext, signupDialog, signupSdk } from './signup.ts';
import { Statuses } from './statuses.ts';
import { Poster, Subscriptions } from './subscriptions.ts';
import { type Template, type TemplateStatus, Templates, templateLanguages } from './templates.ts';

export const GRAPH = '/graph';

/** The code of a platform that is not there: HTTP 503. */
const away = 2;

export interface PlatformOptions {
  clock: Clock;
  inbox: Inbox;
  scenarioPrefix: string;
  identity?: PlatformIdentity | undefined;
  /** From the answer to delivery, instead of the scenario table's. Milliseconds. */
  deliverDelayMs?: number | undefined;
  /** Default: the documented ones. */
  limits?: SendLimits | undefined;
  /** From a template's creation to its approval. Default 500 ms. */
  reviewMs?: number | undefined;
  /** Before the first retry of a webhook, doubled each time. Default 250 ms. */
  retryMs?: number | undefined;
  /** Posts after which a webhook is given up; default 200, which is most of a quarter of an hour. */
  maxAttempts?: number | undefined;
}

export class Platform {
  readonly identity: PlatformIdentity;
  readonly accounts: Accounts;
  readonly faults = new PlatformFaults();
  readonly limiter: SendLimiter;
  readonly subscriptions: Subscriptions;
  readonly notifier: Notifier;
  readonly statuses: Statuses;
  readonly templates: Templates;
  readonly messages: Messages;
  readonly codes: Codes;
  readonly #clock: Clock;
  readonly #poster: Poster;
  readonly #limits: SendLimits;
  readonly #slow: Schedule;

  constructor(options: PlatformOptions) {
    const { clock, inbox, scenarioPrefix, deliverDelayMs, identity = sandboxIdentity } = options;
    const { faults } = this;
    this.#clock = clock;
    this.#slow = new Schedule(clock);
    this.#limits = options.limits ?? documentedLimits;
    this.identity = identity;
    this.accounts = new Accounts(identity);
    this.codes = new Codes(clock);
    this.limiter = new SendLimiter(clock, this.#limits);
    this.#poster = new Poster(identity.appSecret);
    this.subscriptions = new Subscriptions(identity, this.accounts, this.#poster);
    const { retryMs = 250, maxAttempts = 200 } = options;
    const urlFor = (wabaId: string, field: string) => this.subscriptions.urlFor(wabaId, field);
    this.notifier = new Notifier({ clock, poster: this.#poster, faults, urlFor, retryMs, maxAttempts });
    this.statuses = new Statuses(clock, this.notifier, () => faults.mood === 'silent');
    const onReviewed = (template: Template) => this.#notifyOfTemplate(template);
    this.templates = new Templates({
      clock,
      reviewMs: options.reviewMs ?? 500,
      onReviewed,
      reviewResult: () => faults.reviewResult,
    });
    const { accounts, limiter, templates, statuses } = this;
    this.messages = new Messages({
      clock,
      inbox,
      accounts,
      faults,
      limiter,
      templates,
      statuses,
      scenarioPrefix,
      deliverDelayMs,
    });
    this.#addOwnTemplates();
  }

  get mood(): MoodWord {
    return this.faults.mood;
  }

  async behave(mood: MoodWord): Promise<void> {
    this.faults.mood = mood;
    // Webhooks wait while the platform is down.
    this.notifier.flush();
  }

  /** Any request whose path begins with `/graph`. */
  async handle(request: Request): Promise<Response> {
    if (this.mood === 'slow') await new Promise<void>((resolve) => this.#slow.later(request, slowMs, resolve));
    return this.mood === 'down' ? graphError(away) : this.#answer(request);
  }

  #answer(request: Request): Response | Promise<Response> {
    const path = request.path.slice(GRAPH.length);
    if (request.method === 'GET' && path === '/sdk.js') {
      return { status: 200, headers: { 'content-type': 'text/javascript; charset=utf-8' }, body: signupSdk };
    }
    if (path === `/${this.identity.version}/dialog/oauth`) {
      const answer = request.method === 'POST' ? finishSignup : signupDialog;
      return answer(request, this.#signup());
    }
    return graph(request, path, this);
  }

  /** Sets the status of a template. Null when done, else what is wrong. */
  decideTemplate(order: {
    name: string;
    language?: string | undefined;
    waba_id?: string | undefined;
    status: TemplateStatus;
    reason?: string | undefined;
  }): string | null {
    const { name, language, waba_id = this.identity.wabaId, status, reason } = order;
    const meant = this.templates
      .of(waba_id)
      .filter((template) => template.name === name && (language === undefined || template.language === language));
    for (const template of meant) this.templates.decide(template, status, reason);
    return meant.length > 0 ? null : 'there is no such template';
  }

  revokeTokens(wabaId: string | undefined): string | null {
    if (wabaId === undefined) {
      this.#systemToken(true);
      return null;
    }
    if (!this.accounts.wabas.has(wabaId)) return 'there is no such account';
    this.accounts.revokeTokensOf(wabaId);
    return null;
  }

  /** The business takes its account back: its tokens stop working, and the app gets a webhook. */
  uninstall(wabaId: string): string | null {
    const waba = this.accounts.wabas.get(wabaId);
    if (!waba || wabaId === this.identity.wabaId) return 'there is no such account';
    this.accounts.revokeTokensOf(wabaId);
    waba.subscription = null;
    notifyPartner('PARTNER_APP_UNINSTALLED', wabaId, this.#signup());
    return null;
  }

  /** The platform's own update of an account; a ban keeps its messages from going out. */
  updateAccount(wabaId: string, value: { event: string; [field: string]: unknown }): string | null {
    const waba = this.accounts.wabas.get(wabaId);
    if (!waba) return 'there is no such account';
    const ban = (value.ban_info as { waba_ban_state?: string } | undefined)?.waba_ban_state;
    if (ban !== undefined) waba.disabled = ban === 'DISABLE';
    void this.notifier.notify({ wabaId, field: 'account_update', value, at: this.#clock.now() });
    return null;
  }

  /** No fault and no ban left, limits and own templates as at the start. Accounts of businesses and the callback address stay. */
  reset(): void {
    this.faults.reset();
    this.limiter.limits = this.#limits;
    this.limiter.forget();
    this.#systemToken(false);
    for (const waba of this.accounts.wabas.values()) waba.disabled = false;
    for (const template of this.templates.of(this.identity.wabaId)) template.status = 'APPROVED';
    this.notifier.flush();
  }

  async stop(): Promise<void> {
    this.#slow.stop();
    this.templates.stop();
    this.statuses.stop();
    this.notifier.stop();
    await this.#poster.stop();
  }

  #systemToken(revoked: boolean): void {
    const token = this.accounts.tokens.get(this.identity.systemToken);
    if (token) token.revoked = revoked;
  }

  #signup(): SignupContext {
    const { identity, accounts, codes, notifier, faults } = this;
    return { identity, accounts, codes, notifier, faults, now: () => this.#clock.now() };
  }

  #addOwnTemplates(): void {
    for (const language of templateLanguages) {
      const request = {
        name: this.identity.templateName,
        language,
        category: 'AUTHENTICATION' as const,
        message_send_ttl_seconds: 30,
        components: [
          { type: 'BODY' as const, add_security_recommendation: true },
          { type: 'FOOTER' as const, code_expiration_minutes: 10 },
          { type: 'BUTTONS' as const, buttons: [{ type: 'OTP' as const, otp_type: 'COPY_CODE' as const }] },
        ],
      };
      this.templates.create(this.identity.wabaId, request, 'APPROVED');
    }
  }

  #notifyOfTemplate({ id, wabaId, name, language, category, status, rejectedReason }: Template): void {
    const value = {
      event: status,
      message_template_id: Number(id),
      message_template_name: name,
      message_template_language: language,
      message_template_category: category,
      reason: rejectedReason,
    };
    const at = this.#clock.now();
    void this.notifier.notify({ wabaId, field: 'message_template_status_update', value, at });
  }
}
