// SPDX-License-Identifier: AGPL-3.0-only
package ramz.ss7.smpp;

import java.io.DataInputStream;
import java.io.IOException;
import java.util.Arrays;
import org.jsmpp.DefaultPDUReader;
import org.jsmpp.SMPPConstant;
import org.jsmpp.bean.Command;

/** Reads PDUs as clients really send them. */
final class PduReader extends DefaultPDUReader {
  private static final int headerLength = 16;
  /** More than any has: submit_sm with its longest fields, and message_payload of 64 KiB. The library would reserve memory for whatever is asked. */
  static final int longest = 68_000;

  /**
   * Clients may leave out the body of a deliver_sm_resp, its message_id being unused (SMPP v3.4 4.6.2), and do so where they refuse. The library
   * fails at such an answer, and would wait for it until its timeout: here it has an empty message_id.
   */
  @Override
  public byte[] readPDU(DataInputStream in, Command header) throws IOException {
    int length = header.getCommandLength();
    if (length > longest) throw new IOException("command_length " + length);
    byte[] pdu = super.readPDU(in, header);
    boolean isBare = header.getCommandId() == SMPPConstant.CID_DELIVER_SM_RESP && length == headerLength;
    return isBare ? Arrays.copyOf(pdu, headerLength + 1) : pdu;
  }
}
