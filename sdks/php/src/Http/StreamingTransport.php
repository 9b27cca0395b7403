<?php

declare(strict_types=1);

namespace Ramz\Http;

use Ramz\Error\NetworkError;

/** A transport that can hand over an answer while it is still coming. `watch` uses it where there is one. */
interface StreamingTransport extends Transport
{
    /**
     * The body in pieces, as they come. Letting go of the generator ends the request.
     *
     * @return \Generator<int, string>
     *
     * @throws NetworkError The connection was lost, or nothing came for too long.
     */
    public function stream(#[\SensitiveParameter] Request $request): \Generator;
}
