// SPDX-License-Identifier: AGPL-3.0-only
package ramz.ss7.network;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.netty.buffer.ByteBufUtil;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Outlines of messages, whole and not. */
final class BerTest {
  @ParameterizedTest
  @CsvSource({
    "6206480400000001, true",
    "62064804000000, false",
    "628006022a03 0000, true",
    "628006022a03, false",
    "6b0a2808068 47fffffff00, false",
    "620606847fffffff, false",
    "6206068480000000, false",
    "62080685 0000000001, false",
    "9f8101 00, true",
    "9f81, false",
    "42 80 0000, false",
    "'', false"
  })
  void aLengthThatTheMessageHasNoRoomForIsSeen(String hex, boolean isWhole) {
    assertEquals(isWhole, Ber.isWhole(ByteBufUtil.decodeHexDump(hex.replace(" ", ""))));
  }

  @Test
  void elementsInsideEachOtherHaveAnEnd() {
    assertEquals(true, Ber.isWhole(nested(30)));
    assertEquals(false, Ber.isWhole(nested(60)));
  }

  private static byte[] nested(int levels) {
    var octets = new byte[2 * levels];
    for (int level = 0; level < levels; level += 1) {
      octets[2 * level] = 0x30;
      octets[2 * level + 1] = (byte) (2 * (levels - level - 1));
    }
    return octets;
  }
}
