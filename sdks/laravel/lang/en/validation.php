<?php

return [
    'incorrect_code' => 'The code is not right.',
    'expired' => 'The code is no longer valid. Ask for a new one.',
    'too_many_attempts' => 'There were too many tries. Ask for a new code later.',
    'already_verified' => 'The code was used already.',
    'canceled' => 'The verification was canceled. Ask for a new code.',
    'no_session' => 'There is no code to check. Ask for one first.',
];
