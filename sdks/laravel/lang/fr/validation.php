<?php

return [
    'incorrect_code' => 'Le code n’est pas le bon.',
    'expired' => 'Le code n’est plus valable. Demandez-en un nouveau.',
    'too_many_attempts' => 'Trop d’essais. Demandez un nouveau code plus tard.',
    'already_verified' => 'Le code a déjà été utilisé.',
    'canceled' => 'La vérification a été annulée. Demandez un nouveau code.',
    'no_session' => 'Il n’y a pas de code à vérifier. Demandez-en un d’abord.',
];
