<?php

return [

    /*
     * The key of your account, and the address of the Ramz service. A test key (`ramz_test_…`) sends nothing; its codes
     * are zeros.
     */
    'api_key' => env('RAMZ_API_KEY'),
    'base_url' => env('RAMZ_BASE_URL'),

    /* Seconds for each try, and how often a call is repeated at most. */
    'timeout' => (float) env('RAMZ_TIMEOUT', 10),
    'max_retries' => (int) env('RAMZ_MAX_RETRIES', 2),

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
         * Webhooks are delivered at least once. Those that were handled are remembered in this cache store for a day and
         * not dispatched again; null: the default store; false: every delivery is dispatched.
         */
        'deduplicate' => null,

        /* Put before the signature's check. */
        'middleware' => [],
    ],
];
