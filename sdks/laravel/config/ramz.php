<?php

return [

    /*
     * The key of your account, and the address of the Ramz service. A test key (`ramz_test_…`) sends nothing; its codes
     * are zeros.
     */
    'api_key' => env('RAMZ_API_KEY'),
    'base_url' => env('RAMZ_BASE_URL'),

    /*
     * Seconds for each attempt of a call, for the call with all its attempts and pauses (null: 20, or `timeout` where that is
     * longer), and how often it is repeated at most. A line of .env without a value is as if it were not there.
     */
    'timeout' => env('RAMZ_TIMEOUT', 10),
    'total_timeout' => env('RAMZ_TOTAL_TIMEOUT'),
    'max_retries' => env('RAMZ_MAX_RETRIES', 2),

    /* Sent with every request, for a gateway in front of the service: ['X-Tenant' => '7']. */
    'headers' => [],

    'webhooks' => [

        /*
         * Where webhooks come in; null registers no route. Enter `https://<your host>/ramz/webhooks` at Ramz
         * (`Ramz::webhookEndpoints()->create(url: …)`), which answers the secret.
         */
        'path' => env('RAMZ_WEBHOOK_PATH', 'ramz/webhooks'),

        /* While you rotate: both, separated by a comma. Without a secret every webhook is refused. */
        'secret' => env('RAMZ_WEBHOOK_SECRET'),

        /* Seconds that the clocks may be apart. */
        'tolerance' => 300,

        /*
         * Webhooks are delivered at least once. Those whose listeners have run are remembered in this cache store for two
         * days and not dispatched again, also where a replay or a redelivery sends them; null: the default store; false:
         * every delivery is dispatched. Behind several hosts it must be a store that they share.
         */
        'deduplicate' => env('RAMZ_WEBHOOK_DEDUPLICATE'),

        /*
         * Seconds that the listeners of one webhook may run. Another delivery of it within this time gets 409, and comes
         * again; after it a webhook whose process was killed is dispatched again. Over 300, a webhook whose process was
         * killed may have to wait for one attempt more.
         */
        'handling_seconds' => 300,

        /* Put before the signature's check. */
        'middleware' => [],
    ],
];
