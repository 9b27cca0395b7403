<?php

declare(strict_types=1);

namespace Ramz\Internal;

use Ramz\CallOptions;
use Ramz\Error\NetworkError;
use Ramz\Model\Session;
use Ramz\Model\WatchSessionResponse;
use Ramz\Value\MessageStatus;
use Ramz\Value\SessionStatus;

/**
 * Follows a session: by a stream where the transport has one, else, and where a stream breaks, by asking again.
 *
 * @internal
 */
final class SessionWatch
{
    private const PAUSE_SECONDS = 2.0;
    /** Streams in a row that told nothing: something on the way holds them back, so that there is no use in more. */
    private const MOST_MISSES = 2;
    private const OVER = [
        SessionStatus::VERIFIED,
        SessionStatus::EXPIRED,
        SessionStatus::CANCELED,
        SessionStatus::FAILED,
    ];
    /** A message that is still on its way out keeps a watch open. */
    private const OUTGOING = [MessageStatus::QUEUED, MessageStatus::SUBMITTING];

    /**
     * @param \Closure(): Session $get
     *
     * @return \Generator<int, WatchSessionResponse>
     */
    public static function follow(
        Caller $caller,
        string $name,
        string $path,
        string $id,
        ?CallOptions $options,
        \Closure $get,
    ): \Generator {
        $streams = $caller->streams($name, $path, $options);
        $told = null;
        $misses = 0;
        while (true) {
            try {
                $stream = $misses < self::MOST_MISSES ? $streams?->open(['id' => $id]) : null;
                $misses++;
                foreach ($stream ?? [] as $answer) {
                    $misses = 0;
                    $session = Json::map($answer, 'session');
                    if ($session !== [] && Json::text($session, 'id') !== $id) {
                        throw new Mismatch('another id than asked for');
                    }
                    // As models: a stream that is opened again begins with a state that a call may have told.
                    $model = Session::fromArray($session);
                    if ($model != $told) {
                        yield self::tell($answer, $told);
                        $told = $model;
                    }
                }
                if ($stream !== null) {
                    return;
                }
            } catch (NetworkError | Mismatch $error) {
                if ($streams?->isEndedBy($error) === true) {
                    throw $error;
                }
                // What is wrong, the call below tells in full: a wrong key or id, or no network.
            }
            $model = $get();
            if ($model != $told) {
                yield self::tell(['session' => $model->toArray()], $told);
                $told = $model;
            }
            if (self::isOver($model)) {
                return;
            }
            $caller->sleep(self::PAUSE_SECONDS);
        }
    }

    /**
     * New is what was not told before: a stream that was opened again would begin from the start.
     *
     * @param array<mixed> $answer
     */
    private static function tell(array $answer, ?Session $told): WatchSessionResponse
    {
        $timeline = Json::list(Json::map($answer, 'session'), 'timeline');
        $entries = \array_slice($timeline, \count($told?->timeline ?? []));
        return WatchSessionResponse::fromArray(['new_entries' => $entries] + $answer);
    }

    private static function isOver(Session $session): bool
    {
        foreach ($session->messages as $message) {
            if (\in_array($message->status, self::OUTGOING, true)) {
                return false;
            }
        }
        return \in_array($session->status, self::OVER, true);
    }
}
