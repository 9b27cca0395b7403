// SPDX-License-Identifier: AGPL-3.0-only
package ramz.ss7.smpp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.util.HexFormat;
import org.jsmpp.util.DefaultDecomposer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** PDUs octet by octet, as they come and as the library gets them. */
final class PduReaderTest {
  private static byte[] read(String hex) throws Exception {
    var in = new DataInputStream(new ByteArrayInputStream(HexFormat.of().parseHex(hex)));
    var reader = new PduReader();
    return reader.readPDU(in, reader.readPDUHeader(in));
  }

  @ParameterizedTest
  @ValueSource(strings = {"00000010800000050000006400000007", "0000001180000005000000640000000700"})
  void aRefusalOfAReceiptIsReadWithAndWithoutItsBody(String hex) throws Exception {
    var answer = new DefaultDecomposer().deliverSmResp(read(hex));
    assertEquals(0x64, answer.getCommandStatus());
    assertEquals(7, answer.getSequenceNumber());
  }

  @Test
  void otherPdusStayAsTheyAre() throws Exception {
    var enquireLink = "00000010000000150000000000000007";
    assertEquals(enquireLink, HexFormat.of().formatHex(read(enquireLink)));
  }

  @Test
  void noMemoryIsReservedForALengthThatNoPduHas() {
    assertThrows(IOException.class, () -> read("7fffffff000000040000000000000007"));
  }
}
