// SPDX-License-Identifier: AGPL-3.0-only
package ramz.ss7.smpp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.time.Instant;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Both forms of validity_period, SMPP v3.4 7.1.1. */
final class ValidityPeriodTest {
  private static final Instant now = Instant.parse("2026-06-15T12:00:00Z");

  @ParameterizedTest
  @CsvSource({
    "'',               2026-06-15T12:10:00Z",
    "000000001000000R, 2026-06-15T12:10:00Z",
    "000002030405000R, 2026-06-17T15:04:05Z",
    "260615120500000+, 2026-06-15T12:05:00Z",
    "260615130500004+, 2026-06-15T12:05:00Z",
    "260615103500006-, 2026-06-15T12:05:00Z",
  })
  void endsThere(String text, Instant end) {
    assertEquals(end, ValidityPeriod.end(text, now));
  }

  @ParameterizedTest
  @ValueSource(strings = {"10", "000000001000000", "26061512050000R", "261315120500000+", "26061512050000a+"})
  void isNone(String text) {
    assertThrows(RuntimeException.class, () -> ValidityPeriod.end(text, now));
  }
}
