// SPDX-License-Identifier: AGPL-3.0-only
package ramz.ss7.delivery;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import ramz.ss7.delivery.Outcome.Next;
import ramz.ss7.network.Answer.Failed;
import ramz.ss7.network.Answer.Why;

/** What a dialogue without an answer says of the message. */
final class OutcomeTest {
  @ParameterizedTest
  @CsvSource({
    "TIMEOUT,     true,  true,  UNKNOWN, 900, OVER",
    "TIMEOUT,     true,  false, UNDELIV, 900, TRY_AGAIN",
    "TIMEOUT,     false, true,  UNDELIV, 900, TRY_AGAIN",
    "ABORTED,     true,  true,  UNKNOWN, 901, OVER",
    "ABORTED,     true,  false, UNDELIV, 901, TRY_AGAIN",
    "ABORTED,     false, true,  UNDELIV, 901, TRY_AGAIN",
    "REFUSED,     true,  true,  REJECTD, 902, OVER",
    "NOT_CARRIED, true,  true,  UNDELIV, 903, TRY_AGAIN",
  })
  void onlyWhatDeliversAndWasSentMayHaveArrived(Why why, boolean delivers, boolean isSent, String state, String error, Next next) {
    var outcome = Outcome.of(new Failed(why, isSent, ""), delivers);
    assertEquals(state + " " + error, outcome.state() + " " + outcome.error());
    assertEquals(next, outcome.next());
  }
}
