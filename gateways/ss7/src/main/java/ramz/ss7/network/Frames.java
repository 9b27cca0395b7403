// SPDX-License-Identifier: AGPL-3.0-only
package ramz.ss7.network;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.lang.reflect.Proxy;
import java.util.function.Consumer;
import org.mobicents.protocols.api.Association;
import org.mobicents.protocols.api.AssociationListener;
import org.mobicents.protocols.api.IpChannelType;
import org.mobicents.protocols.api.PayloadData;

/**
 * Stands between an association and the stack, and hands on whole messages of M3UA that can be read; the others are answered with an Error
 * (RFC 4666 3.8.1) and counted. The stack by itself would lose its place in a TCP stream with the first message that it can not read, keep
 * the rest of a lost connection for the next one, and log what it could not read, octet by octet.
 */
final class Frames implements AssociationListener {
  private static final int headerLength = 8;
  private static final int mostPadding = 3;
  /** More than any message has: the longest of SCCP, LUDT, carries 3952 octets (ITU-T Q.713 2.1). */
  static final int longest = 8_192;
  private static final int protocolId = 3;

  /** What becomes of an association that a message was refused on. */
  interface Watcher {
    void onFault(String association, Fault fault);

    /** Where the next message begins in the stream can not be known any more. */
    void onLost(String association);
  }

  private final AssociationListener stack;
  private final Watcher watcher;
  private final MessageCheck check;
  /** Of a TCP stream: what is not a whole message yet. */
  private final ByteBuf pending = Unpooled.buffer();
  private boolean isLost;
  /** Says of itself only that it keeps messages apart, which is all that the stack asks. */
  private final Association apart =
      (Association)
          Proxy.newProxyInstance(
              Association.class.getClassLoader(),
              new Class<?>[] {Association.class},
              (self, method, arguments) -> method.getName().equals("getIpChannelType") ? IpChannelType.SCTP : null);

  /** @param trafficMode that of the application server, RFC 4666 3.7.1 */
  Frames(AssociationListener stack, int trafficMode, Watcher watcher) {
    this.stack = stack;
    check = new MessageCheck(trafficMode);
    this.watcher = watcher;
  }

  @Override
  public void onPayload(Association association, PayloadData payload) {
    ByteBuf octets = payload.getByteBuf();
    try {
      if (association.getIpChannelType() == IpChannelType.SCTP) takeMessage(association, octets);
      else takeStream(association, octets);
    } finally {
      octets.release();
    }
  }

  /** SCTP keeps messages apart. The padding of the last parameter may be counted in the length or not (RFC 4666 3.1.4). */
  private void takeMessage(Association association, ByteBuf message) {
    Fault fault = headerFault(message);
    if (fault == null) {
      int surplus = message.readableBytes() - message.getInt(message.readerIndex() + 4);
      if (surplus < 0 || surplus > mostPadding) fault = Fault.LENGTH;
    }
    if (fault == null) hand(association, message);
    else refuse(association, message, fault);
  }

  private void takeStream(Association association, ByteBuf octets) {
    if (isLost) return;
    pending.writeBytes(octets);
    while (pending.readableBytes() >= headerLength) {
      Fault fault = headerFault(pending);
      if (fault != null) {
        refuse(association, pending, fault);
        pending.clear();
        isLost = true;
        watcher.onLost(association.getName());
        return;
      }
      int length = pending.getInt(pending.readerIndex() + 4);
      if (pending.readableBytes() < length) break;
      hand(association, pending.readSlice(length));
    }
    pending.discardReadBytes();
  }

  private static Fault headerFault(ByteBuf message) {
    if (message.readableBytes() < headerLength) return Fault.LENGTH;
    int at = message.readerIndex();
    if (message.getByte(at) != 1) return Fault.VERSION;
    int length = message.getInt(at + 4);
    return length < headerLength || length > longest ? Fault.LENGTH : null;
  }

  private void hand(Association association, ByteBuf message) {
    Fault fault = check.faultOf(message.duplicate());
    if (fault != null) {
      refuse(association, message, fault);
      return;
    }
    int length = message.readableBytes();
    try {
      stack.onPayload(apart, new PayloadData(length, Unpooled.copiedBuffer(message), true, false, protocolId, 0));
    } catch (RuntimeException failed) {
      // In the transport below it would cost the association.
      watcher.onFault(association.getName(), Fault.STACK);
    }
  }

  private void refuse(Association association, ByteBuf message, Fault fault) {
    watcher.onFault(association.getName(), fault);
    // Two sides that answer each other's Errors with Errors would never end.
    boolean isError = message.readableBytes() >= headerLength && message.getShort(message.readerIndex() + 2) == 0;
    if (isError) return;
    var error = Unpooled.buffer(16).writeInt(0x01000000).writeInt(16).writeShort(12).writeShort(8).writeInt(fault.code);
    try {
      association.send(new PayloadData(16, error, true, true, protocolId, 0));
    } catch (Exception gone) {
      // It was closed in the meantime.
    }
  }

  private void begin(Consumer<AssociationListener> event) {
    pending.clear();
    isLost = false;
    event.accept(stack);
  }

  @Override
  public void onCommunicationUp(Association association, int inboundStreams, int outboundStreams) {
    begin(listener -> listener.onCommunicationUp(association, inboundStreams, outboundStreams));
  }

  @Override
  public void onCommunicationShutdown(Association association) {
    begin(listener -> listener.onCommunicationShutdown(association));
  }

  @Override
  public void onCommunicationLost(Association association) {
    begin(listener -> listener.onCommunicationLost(association));
  }

  @Override
  public void onCommunicationRestart(Association association) {
    begin(listener -> listener.onCommunicationRestart(association));
  }

  @Override
  public void inValidStreamId(PayloadData payload) {
    stack.inValidStreamId(payload);
  }
}
