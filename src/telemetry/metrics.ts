// The metrics at /metrics, all declared in one place. Labels are few and bounded, never a phone number or an account, because each value
// of a label is a time series of its own. `number` is the id of a WhatsApp number at the platform: the deployment's, and one for each linked business.

import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

const fastSeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const slowSeconds = [0.25, 0.5, 0.8, 1, 2, 5, 10, 15, 30, 60, 300, 3600];

const prefix = 'ramz_';

/**
 * prom-client looks at the event loop every 10 ms by default: a hundred times a second an idle process was woken, and a busy one as often, for a
 * figure that contains the 10 ms. What is left of it is `ramz_nodejs_eventloop_lag_seconds`, taken whenever the metrics are read.
 */
const lagEveryMs = 60_000;
const lagFigures = ['min', 'max', 'mean', 'stddev', 'p50', 'p90', 'p99'];

export type Metrics = ReturnType<typeof createMetrics>;

/**
 * Shows series of a counter before their first event. Prometheus sees a rise only from a value that it has read before: an alert on one event
 * would miss the first, which for many is the only one.
 */
export function startAtZero<Label extends string>(
  counter: Pick<Counter<Label>, 'inc'>,
  series: readonly Record<Label, string>[],
): void {
  for (const labels of series) counter.inc(labels, 0);
}

export function createMetrics() {
  const register = new Registry();
  collectDefaultMetrics({ register, prefix, eventLoopMonitoringPrecision: lagEveryMs });
  for (const figure of lagFigures) register.removeSingleMetric(`${prefix}nodejs_eventloop_lag_${figure}_seconds`);
  const registers = [register];
  const counter = (name: string, help: string, labelNames: string[]) =>
    new Counter({ name, help, labelNames, registers });
  const gauge = (name: string, help: string, labelNames: string[]) => new Gauge({ name, help, labelNames, registers });
  const histogram = (name: string, help: string, labelNames: string[], buckets: number[]) =>
    new Histogram({ name, help, labelNames, buckets, registers });
  const wabaTokenEnd = gauge(
    'ramz_waba_token_end_timestamp_seconds',
    'When the first token of a connected link dies, Unix time; +Inf where none is known to.',
    [],
  );
  // Its 0 would be a token that died in 1970, until the links are counted.
  wabaTokenEnd.set(Number.POSITIVE_INFINITY);
  return {
    register,
    calls: counter('ramz_calls_total', 'Answered calls by error code (ok = none).', ['method', 'door', 'code']),
    refusals: counter(
      'ramz_authentication_refused_total',
      "Calls without a good key or administrator's token, by door and error code.",
      ['door', 'reason'],
    ),
    unlogged: counter(
      'ramz_refusals_unlogged_total',
      'Refused calls without a log line of their own, by door and error code: summaries in the log have their number by address.',
      ['door', 'reason'],
    ),
    callSeconds: histogram('ramz_call_seconds', 'Time to answer a call of the API.', ['method', 'door'], fastSeconds),
    laneBatch: histogram(
      'ramz_lane_batch_items',
      'Items in one database batch.',
      ['lane'],
      [1, 2, 5, 10, 25, 50, 100, 200, 400],
    ),
    laneWait: histogram(
      'ramz_lane_wait_seconds',
      'Wait of the oldest item of a batch before it left.',
      ['lane'],
      fastSeconds,
    ),
    laneRun: histogram('ramz_lane_run_seconds', 'Time of one batch in the database.', ['lane'], fastSeconds),
    bindState: gauge('ramz_smpp_bind_state', '1 for the state a bind is in.', ['operator', 'bind', 'state']),
    operatorDown: gauge(
      'ramz_operator_down',
      '1 while no process has had a bind of the operator up for `down_after_seconds`, or the operator puts off every message of this process; 0 in its maintenance, and while it is paused.',
      ['operator'],
    ),
    operatorPaused: gauge('ramz_operator_paused', '1 while a person has paused the operator.', ['operator']),
    window: gauge('ramz_smpp_window_in_use', 'submit_sm without an answer yet.', ['operator', 'bind']),
    submitSeconds: histogram('ramz_smpp_submit_seconds', 'From submit_sm to its answer.', ['operator'], fastSeconds),
    submitStatus: counter(
      'ramz_smpp_submit_status_total',
      'Answers to submit_sm by command_status: its name, its number (0x00000401) where it has none, `other` above 0x4ff.',
      ['operator', 'status'],
    ),
    throttled: counter('ramz_smpp_throttled_total', 'Answers that asked us to slow down.', ['operator']),
    oddities: counter('ramz_smpp_oddities_total', 'PDUs of an SMSC that should not come.', ['operator', 'oddity']),
    deliveries: counter(
      'ramz_smpp_deliver_total',
      'deliver_sm and data_sm taken, by kind: receipt, message (of a phone, or a receipt that is not marked as one), unreadable.',
      ['operator', 'kind'],
    ),
    receiptProblems: counter(
      'ramz_receipt_problems_total',
      'Receipts of which something was not understood, by what: word, id, date, unmarked, unreadable. The log names the setting that would read it.',
      ['operator', 'problem'],
    ),
    smsDeliverySeconds: histogram(
      'ramz_sms_delivery_seconds',
      "From the operator's acceptance of an SMS to its delivered receipt here, by our clock.",
      ['operator'],
      slowSeconds,
    ),
    smsOutcome: counter(
      'ramz_sms_outcome_total',
      'SMS that came to be delivered, undelivered, expired, rejected or unknown; one that is corrected counts under both.',
      ['operator', 'status'],
    ),
    queueMessages: gauge('ramz_queue_messages', 'SMS of this process that wait for a place on a bind.', ['operator']),
    queueAge: gauge('ramz_queue_age_seconds', 'How long the oldest of them has waited; 0 without one.', ['operator']),
    sessions: counter(
      'ramz_sessions_total',
      'Sessions over, by the operator and channel of their last message that was sent, and by outcome.',
      ['mode', 'operator', 'channel', 'outcome'],
    ),
    budgetExhausted: counter(
      'ramz_budget_exhausted_total',
      'Messages for which a budget of their account or key had too little left; with the mode `monitor` they went out.',
      ['budget', 'mode'],
    ),
    budgetWarnings: counter('ramz_budget_warnings_total', 'Warnings that a part of a budget, in percent, is used up.', [
      'budget',
      'percent',
    ]),
    guardStops: counter(
      'ramz_guard_stops_total',
      'Prefixes of accounts that were stopped because they look pumped, by rule and its mode.',
      ['rule', 'mode'],
    ),
    receipts: counter('ramz_receipts_total', 'Receipts by operator, status and what became of them.', [
      'operator',
      'status',
      'result',
    ]),
    operatorClockSkew: gauge(
      'ramz_operator_clock_skew_seconds',
      "The operator's time in its last receipt less ours: hours are a wrong `time_zone`, minus seconds are the way here.",
      ['operator'],
    ),
    receiptSeconds: histogram(
      'ramz_receipt_seconds',
      "From the operator's own timestamp to the receipt's arrival here.",
      ['operator'],
      slowSeconds,
    ),
    appExchanges: counter('ramz_app_exchanges_total', 'Calls of the messaging platform by what its answer meant.', [
      'meaning',
    ]),
    appSeconds: histogram('ramz_app_seconds', 'Time of one call of the messaging platform.', [], fastSeconds),
    appDown: gauge(
      'ramz_app_down',
      '1 while the platform refuses a number, by its id there, for every recipient, by whose it is: `deployment` or `business`.',
      ['number', 'whose'],
    ),
    appRecipients: gauge(
      'ramz_app_recipients',
      'People that messages went to from a number within 24 hours, over all processes.',
      ['number'],
    ),
    appMessagingLimit: gauge(
      'ramz_app_messaging_limit',
      "People that the platform allows a business's own number in 24 hours; absent where it names no limit.",
      ['number'],
    ),
    appCallbacks: counter('ramz_app_callbacks_total', 'Callbacks of the messaging platform by result.', ['result']),
    wabaLinks: gauge('ramz_waba_links', "Businesses' own WhatsApp accounts by how their link stands.", ['status']),
    wabaQuality: gauge(
      'ramz_waba_quality',
      "Businesses' own numbers that are connected, by the platform's word for their quality.",
      ['quality'],
    ),
    wabaTokenEnd,
    appMisconfigured: counter(
      'ramz_app_misconfigured_total',
      'Refusals of what is set up (template, parameters, number), by whose number it is: `deployment` or `business`.',
      ['whose'],
    ),
    appUnknownCodes: counter(
      'ramz_app_unknown_codes_total',
      'Error codes of the messaging platform that have no meaning here; the log names them.',
      [],
    ),
    appReported: counter(
      'ramz_app_reported_errors_total',
      'Errors that its callbacks report of a number, about no message, by their meaning.',
      ['meaning'],
    ),
    appOtherCategories: counter(
      'ramz_app_other_categories_total',
      'Statuses of messages that the platform charges in another category than the tariff is for; the log names it.',
      [],
    ),
    appIgnored: counter('ramz_app_ignored_total', 'Parts of its callbacks that were passed over.', ['what']),
    trunkUp: gauge('ramz_trunk_up', '1 while a SIP trunk takes calls, as far as OPTIONS show.', ['trunk']),
    trunkCalls: gauge('ramz_trunk_calls_up', 'Calls of this process by trunk, ringing and answered.', ['trunk']),
    callTries: counter('ramz_trunk_calls_total', 'Tries of calls by trunk and how they ended.', ['trunk', 'outcome']),
    sipDropped: counter('ramz_sip_dropped_total', 'Messages at a SIP port that were passed over.', ['trunk', 'why']),
    rtpPackets: gauge('ramz_rtp_packets', 'RTP packets since the start, by what became of them.', ['what']),
    rtpGap: gauge(
      'ramz_rtp_longest_gap_seconds',
      'Longest time between two packets of one call within the last minute.',
      [],
    ),
    cellReady: gauge(
      'ramz_cell_ready',
      '1 while this process works on the database of the cell and has a lease there; the cell `home` is the database of DATABASE_URL.',
      ['cell'],
    ),
    partitionHorizon: gauge(
      'ramz_partition_horizon_seconds',
      'For how long from now on every row has its partition. At 0 nothing can be sent.',
      [],
    ),
    rereadRefused: gauge(
      'ramz_reread_refused',
      '1 while what was last read again is refused and what was read before is in force: `configuration` or `key_ring`.',
      ['what'],
    ),
    certificateExpiry: gauge(
      'ramz_certificate_expiry_timestamp_seconds',
      'When the certificate of a port ends, in seconds since 1970.',
      ['port'],
    ),
    synchronousCommit: gauge(
      'ramz_database_synchronous_commit',
      '1 while commits wait for a standby, in each cell. At 0 a failover may lose what was answered.',
      [],
    ),
    synchronousStandbys: gauge(
      'ramz_database_synchronous_standbys',
      'Standbys that commits wait for, in the cell that has the fewest; NaN where the role may not see them (pg_monitor).',
      [],
    ),
    clockOffset: gauge(
      'ramz_database_clock_offset_seconds',
      "The database's clock less this host's, of the cell where they are farthest apart.",
      [],
    ),
    parked: gauge('ramz_parked_receipts', 'Receipts of the last hour without a message, or unreadable.', []),
    webhooksOverdue: gauge(
      'ramz_webhooks_overdue',
      'Retries of webhooks that are due and under way in no process, over all processes.',
      [],
    ),
    backlog: gauge('ramz_send_backlog', 'Messages under way in this process.', []),
    messagesReread: counter(
      'ramz_messages_reread_total',
      'Messages read again before they were written, because this process stood still while they were stored.',
      [],
    ),
    sessionsHeld: gauge('ramz_sessions_held', 'Sessions in memory.', []),
    callsUp: gauge('ramz_calls_up', 'Phone calls of this process that are not over.', []),
    peersHeard: gauge('ramz_peers_heard', 'Other processes that this one can ask by the peer port.', []),
    shardsOwned: gauge('ramz_shards_owned', 'Of the 1,024 shards of numbers, those this process owns.', []),
    peerQuestions: counter(
      'ramz_peer_questions_total',
      'What this process asked others, by verb and result: answered, or why the work was done directly.',
      ['verb', 'result'],
    ),
    peerSeconds: histogram(
      'ramz_peer_question_seconds',
      'From a question to another process to its answer, or to doing the work directly.',
      ['verb'],
      fastSeconds,
    ),
    noticesIgnored: gauge('ramz_notices_ignored', 'Notices of other processes that were not understood.', []),
    webhookAttempts: counter(
      'ramz_webhook_attempts_total',
      'Deliveries whose turn came, by outcome: delivered, retry and exhausted were posted; left, held and switched_off were not.',
      ['outcome'],
    ),
    webhookEndpointsOff: counter(
      'ramz_webhook_endpoints_disabled_total',
      'Webhook endpoints that were switched off because they failed, or said that they are gone.',
      ['reason'],
    ),
    webhookSeconds: histogram('ramz_webhook_seconds', 'Time of one post.', [], fastSeconds),
    keyRingInfo: gauge('ramz_key_ring_info', '1 for the key that this process makes new things with, by purpose.', [
      'purpose',
      'key_id',
    ]),
    keyRingKeys: gauge('ramz_key_ring_keys', 'Keys of the ring by purpose: several while one rotates.', ['purpose']),
    keyRingRereads: counter(
      'ramz_key_ring_rereads_total',
      'Times the key ring was read again, by result: taken, same, refused.',
      ['result'],
    ),
    keyRingResealed: counter(
      'ramz_key_ring_resealed_total',
      'Rows whose secrets were sealed again under the current key of their purpose.',
      ['purpose'],
    ),
    loopErrors: counter('ramz_loop_errors_total', 'Failed runs of background loops.', ['loop']),
  };
}
