// Settings that take effect on reload. The whole configuration is replaced at once, so that no part sees half of an old one:
// a part that needs a setting keeps this object, and reads from it what is in force at that moment.

import { deliverySeconds } from '../channels/whatsapp/account.ts';
import type { Config } from '../config.ts';
import type { BudgetLimits } from '../core/limits/budget.ts';
import type { ClientLimits } from '../core/limits/client-limits.ts';
import type { RuleModes } from '../core/limits/verdict.ts';
import { type Rules, rulesOf } from '../core/verify/rules.ts';
import type { FailureLimit } from '../db/verify/save.ts';
import type { AccountSettings } from '../engine/accounts/context.ts';
import type { EngineSettings } from '../engine/context.ts';
import { platformLimit, type SendLimits } from '../engine/limits/number-limits.ts';
import type { WebhookSettings } from '../engine/webhooks/context.ts';
import { hourMs } from '../time/wall-clock.ts';

/** The configuration in the words and units of the engine. */
interface InForce {
  config: Config;
  rules: Rules;
  failureLimit: FailureLimit;
  sendLimits: SendLimits;
  ruleModes: RuleModes;
  clientLimits: ClientLimits;
  budget: BudgetLimits;
}

export class LiveSettings implements EngineSettings, AccountSettings, WebhookSettings {
  #inForce: InForce;

  constructor(config: Config) {
    this.#inForce = inForce(config);
  }

  get config(): Config {
    return this.#inForce.config;
  }

  get rules(): Rules {
    return this.#inForce.rules;
  }

  /** How many wrong codes lock a number. */
  get failureLimit(): FailureLimit {
    return this.#inForce.failureLimit;
  }

  get sendLimits(): SendLimits {
    return this.#inForce.sendLimits;
  }

  get clientLimits(): ClientLimits {
    return this.#inForce.clientLimits;
  }

  get ruleModes(): RuleModes {
    return this.#inForce.ruleModes;
  }

  /** Budgets of accounts that have none of their own. */
  get budget(): BudgetLimits {
    return this.#inForce.budget;
  }

  /** Ids of the operators. */
  get operators(): readonly string[] {
    return this.config.operators.map(({ id }) => id);
  }

  get hasAdminToken(): boolean {
    return this.config.server.adminTokenHash !== null;
  }

  /** Days after its closing in which an account can be reopened. */
  get closedAccountDays(): number {
    return this.config.service.closedAccountDays;
  }

  /** Accounts that may wait for approval at once. */
  get mostWaiting(): number {
    return this.config.limits.waitingAccounts;
  }

  /** Days without any use of its keys after which an account that waits for approval is closed. */
  get waitingAccountDays(): number {
    return this.config.service.waitingAccountDays;
  }

  /** Webhooks posted to one host at the same time. */
  get deliveriesPerHost(): number {
    return this.config.limits.webhookDeliveriesPerHost;
  }

  /** Webhooks posted to one host within a second. */
  get deliveriesPerHostPerSecond(): number {
    return this.config.limits.webhookDeliveriesPerHostPerSecond;
  }

  /** Webhook endpoints of one account at one host. */
  get endpointsPerHost(): number {
    return this.config.limits.webhookEndpointsPerHost;
  }

  /**
   * Holds from the next call on. What only a restart can change stays: a live service must not become a sandbox by a signal, and the next
   * reload is compared with what is in force.
   */
  replace(next: Config): void {
    const { server, sandbox, scenarioPrefix, webhooks } = this.config;
    this.#inForce = inForce({ ...next, server, sandbox, scenarioPrefix, webhooks });
  }
}

function inForce(config: Config): InForce {
  const { verify, limits, messaging, voice } = config;
  return {
    config,
    rules: rulesOf(verify, {
      appDeliverySeconds: deliverySeconds(messaging?.template.deliverWithinSeconds ?? null, verify.cascade),
      ringSeconds: Math.max(0, ...(voice?.trunks ?? []).map((trunk) => trunk.ringSeconds)),
    }),
    failureLimit: {
      failures: limits.failuresPerNumberPerHour,
      windowMs: hourMs,
      failuresInRow: limits.failuresPerNumberInRow,
    },
    sendLimits: {
      perNumberPerHour: limits.sendsPerNumberPerHour,
      perNumberPerDay: limits.sendsPerNumberPerDay,
      platformPerNumberPerHour: platformLimit(limits.platformSendsPerNumberPerHour, limits.sendsPerNumberPerHour),
      platformPerNumberPerDay: platformLimit(limits.platformSendsPerNumberPerDay, limits.sendsPerNumberPerDay),
      accountPerSecond: limits.accountSendsPerSecond,
      accountBurst: limits.accountSendsBurst,
    },
    ruleModes: limits.rules,
    clientLimits: limits.client,
    budget: budgetOf(limits.budget),
  };
}

const budgetOf = ({
  sendsPerHour,
  sendsPerDay,
  spendPerHour,
  spendPerDay,
}: Config['limits']['budget']): BudgetLimits => ({
  ...(sendsPerHour === null ? {} : { sendsPerHour }),
  ...(sendsPerDay === null ? {} : { sendsPerDay }),
  spendPerHour,
  spendPerDay,
});
