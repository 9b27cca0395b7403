// SPDX-License-Identifier: AGPL-3.0-only
package ramz.ss7.smpp;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;

/** validity_period, SMPP v3.4 7.1.1: relative ({@code 000000001000000R}) or absolute. */
final class ValidityPeriod {
  /** Where the field is empty. */
  private static final Duration usual = Duration.ofMinutes(10);

  private ValidityPeriod() {}

  /**
   * The moment at which it ends.
   *
   * @throws RuntimeException where it is none
   */
  static Instant end(String text, Instant now) {
    if (text == null || text.isEmpty()) return now.plus(usual);
    return text.endsWith("R") ? relative(text, now) : absolute(text);
  }

  private static Instant relative(String text, Instant now) {
    if (!text.matches("[0-9]{15}R")) throw new IllegalArgumentException(text);
    long days = number(text, 0) * 365 + number(text, 2) * 30 + number(text, 4);
    return now.plusSeconds(((days * 24 + number(text, 6)) * 60 + number(text, 8)) * 60 + number(text, 10));
  }

  /** Year to tenths of a second, then the distance to UTC in quarters of an hour. */
  private static Instant absolute(String text) {
    if (!text.matches("[0-9]{15}[+-]")) throw new IllegalArgumentException(text);
    var local =
        LocalDateTime.of(
            2000 + (int) number(text, 0),
            (int) number(text, 2),
            (int) number(text, 4),
            (int) number(text, 6),
            (int) number(text, 8),
            (int) number(text, 10));
    int quarters = (int) number(text, 13) * (text.endsWith("-") ? -1 : 1);
    return local.toInstant(ZoneOffset.ofTotalSeconds(quarters * 900));
  }

  private static long number(String text, int at) {
    return Long.parseLong(text.substring(at, at + 2));
  }
}
