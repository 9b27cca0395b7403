// SPDX-License-Identifier: AGPL-3.0-only
package ramz.ss7.network;

import io.netty.buffer.ByteBuf;
import org.mobicents.protocols.ss7.m3ua.impl.message.MessageFactoryImpl;
import org.mobicents.protocols.ss7.m3ua.message.M3UAMessage;
import org.mobicents.protocols.ss7.m3ua.message.asptm.ASPActiveAck;
import org.mobicents.protocols.ss7.m3ua.message.mgmt.Notify;
import org.mobicents.protocols.ss7.m3ua.message.ssnm.DestinationAvailable;
import org.mobicents.protocols.ss7.m3ua.message.ssnm.DestinationUPUnavailable;
import org.mobicents.protocols.ss7.m3ua.message.ssnm.DestinationUnavailable;
import org.mobicents.protocols.ss7.m3ua.message.ssnm.SignallingCongestion;
import org.mobicents.protocols.ss7.m3ua.message.transfer.PayloadData;

/** Whether the stack can read a message of M3UA, and finds in it the parameters that it takes for granted. */
final class MessageCheck {
  private static final int parameterHeaderLength = 4;
  /** Of MGMT, Transfer, SSNM, ASPSM and ASPTM. Routing keys (RKM, 9) are configured at both sides here. */
  private static final int highestClass = 4;

  private final int trafficMode;
  private final MessageFactoryImpl messages = new MessageFactoryImpl();

  /** @param trafficMode that of the application server, RFC 4666 3.7.1 */
  MessageCheck(int trafficMode) {
    this.trafficMode = trafficMode;
  }

  /** Null where the stack can read the message, and finds in it what it takes for granted. */
  Fault faultOf(ByteBuf message) {
    int at = message.readerIndex();
    int messageClass = message.getUnsignedByte(at + 2);
    if (messageClass > highestClass) return Fault.UNSUPPORTED_CLASS;
    if (messages.createMessage(messageClass, message.getUnsignedByte(at + 3)) == null) return Fault.UNSUPPORTED_TYPE;
    try {
      M3UAMessage read = messages.createMessage(message);
      // The stack stops at a parameter that is longer than its message.
      if (message.readableBytes() >= parameterHeaderLength) return Fault.PARAMETER;
      return isWhole(read) ? null : Fault.MISSING_PARAMETER;
    } catch (RuntimeException unreadable) {
      return Fault.PARAMETER;
    }
  }

  private boolean isWhole(M3UAMessage message) {
    // The stack would take over any mode, and know no way out of those that it does not have.
    if (message instanceof ASPActiveAck ack) return ack.getTrafficModeType() == null || ack.getTrafficModeType().getMode() == trafficMode;
    if (message instanceof PayloadData data) return data.getData() != null;
    if (message instanceof DestinationUnavailable duna) return duna.getAffectedPointCodes() != null;
    if (message instanceof DestinationAvailable dava) return dava.getAffectedPointCodes() != null;
    if (message instanceof SignallingCongestion scon) return scon.getAffectedPointCodes() != null;
    if (message instanceof DestinationUPUnavailable dupu) return dupu.getAffectedPointCode() != null && dupu.getUserCause() != null;
    return !(message instanceof Notify notify) || notify.getStatus() != null;
  }
}
