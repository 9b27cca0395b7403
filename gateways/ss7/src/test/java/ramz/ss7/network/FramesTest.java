// SPDX-License-Identifier: AGPL-3.0-only
package ramz.ss7.network;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static ramz.ss7.network.Fakes.fake;

import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.mobicents.protocols.api.Association;
import org.mobicents.protocols.api.AssociationListener;
import org.mobicents.protocols.api.IpChannelType;
import org.mobicents.protocols.api.PayloadData;

/** Octets of a peer, as they come over TCP and over SCTP, and what of them reaches the stack. */
final class FramesTest {
  private static final String aspUpAck = "01000304" + "00000008";
  private static final String notify = "01000001" + "00000010" + "000d0008" + "00010003";

  private final List<String> handed = new ArrayList<>();
  private final List<Fault> faults = new ArrayList<>();
  private final List<String> answers = new ArrayList<>();
  private int lost;
  private IpChannelType channel = IpChannelType.TCP;
  private final Frames frames = new Frames(stack(), 2, new Frames.Watcher() {
    @Override
    public void onFault(String name, Fault fault) {
      faults.add(fault);
    }

    @Override
    public void onLost(String name) {
      lost += 1;
    }
  });
  private final Association association = fake(Association.class, (method, arguments) -> switch (method) {
    case "getIpChannelType" -> channel;
    case "getName" -> "a";
    case "send" -> {
      answers.add(ByteBufUtil.hexDump(((PayloadData) arguments[0]).getByteBuf()));
      yield null;
    }
    default -> null;
  });

  private AssociationListener stack() {
    return fake(AssociationListener.class, (method, arguments) -> {
      if (method.equals("onPayload")) handed.add(ByteBufUtil.hexDump(((PayloadData) arguments[1]).getByteBuf()));
      return null;
    });
  }

  private void receive(String hex) {
    byte[] octets = ByteBufUtil.decodeHexDump(hex);
    frames.onPayload(association, new PayloadData(octets.length, Unpooled.wrappedBuffer(octets), true, false, 3, 0));
  }

  private static String error(int code) {
    return "01000000" + "00000010" + "000c0008" + "%08x".formatted(code);
  }

  @Test
  void messagesOfAStreamAreHandedOnOneByOneHoweverTheyAreCut() {
    String stream = aspUpAck + notify + aspUpAck;
    for (int at = 0; at < stream.length(); at += 2) receive(stream.substring(at, at + 2));
    assertEquals(List.of(aspUpAck, notify, aspUpAck), handed);
    handed.clear();
    receive(stream);
    assertEquals(List.of(aspUpAck, notify, aspUpAck), handed);
    assertTrue(faults.isEmpty());
  }

  @Test
  void whatCanNotBeReadIsAnsweredAndTheNextMessageGoesOn() {
    String unknownClass = "01000709" + "00000008";
    String unknownType = "01000309" + "00000008";
    String shortParameter = "01000001" + "0000000c" + "000d0002";
    String noData = "01000101" + "00000008";
    receive(unknownClass + unknownType + noData + aspUpAck + shortParameter + notify);
    assertEquals(List.of(aspUpAck, notify), handed);
    assertEquals(List.of(Fault.UNSUPPORTED_CLASS, Fault.UNSUPPORTED_TYPE, Fault.MISSING_PARAMETER, Fault.PARAMETER), faults);
    // The last is of the class of Errors' own, and no Error: it is answered, too.
    assertEquals(List.of(error(3), error(4), error(0x16), error(0x12)), answers);
    assertEquals(0, lost);
  }

  @Test
  void aParameterThatIsLongerThanItsMessageIsAFaultOfThatMessageAlone() {
    String tooLong = "01000001" + "00000010" + "000d000c" + "00010003";
    receive(tooLong + notify);
    assertEquals(List.of(notify), handed);
    assertEquals(List.of(Fault.PARAMETER), faults);
  }

  @Test
  void aTrafficModeOfThePeersOwnIsRefused() {
    String active = "01000403" + "00000010" + "000b0008";
    receive(active + "00000002" + active + "00000003");
    assertEquals(List.of(active + "00000002"), handed);
    assertEquals(1, faults.size());
  }

  @Test
  void anErrorIsNeverAnsweredWithAnError() {
    receive("01000000" + "0000000c" + "000c0002");
    assertEquals(1, faults.size());
    assertTrue(answers.isEmpty());
  }

  @Test
  void aStreamThatHasLostItsPlaceIsDroppedUntilItIsMadeAgain() {
    receive(aspUpAck + "01000304" + "7fffffff");
    assertEquals(1, lost);
    receive(aspUpAck);
    assertEquals(List.of(aspUpAck), handed);
    frames.onCommunicationUp(association, 1, 1);
    receive(aspUpAck);
    assertEquals(List.of(aspUpAck, aspUpAck), handed);
    receive("02000304" + "00000008");
    assertEquals(2, lost);
    assertEquals(List.of(Fault.LENGTH, Fault.VERSION), faults);
  }

  @Test
  void theRestOfALostConnectionIsNotPutBeforeTheNext() {
    receive(notify.substring(0, 20));
    frames.onCommunicationShutdown(association);
    frames.onCommunicationUp(association, 1, 1);
    receive(aspUpAck);
    assertEquals(List.of(aspUpAck), handed);
  }

  @Test
  void overSctpEachMessageStandsForItself() {
    channel = IpChannelType.SCTP;
    receive("01000304" + "7fffffff");
    receive("0100");
    receive(aspUpAck + aspUpAck);
    receive(aspUpAck);
    assertEquals(List.of(Fault.LENGTH, Fault.LENGTH, Fault.LENGTH), faults);
    assertEquals(List.of(aspUpAck), handed);
    assertEquals(0, lost);
  }

  @Test
  void overSctpThePaddingAtTheEndMayBeCountedOrNot() {
    channel = IpChannelType.SCTP;
    String info = "0004" + "0009" + "68656c6c6f" + "000000";
    String counted = "01000304" + "00000014" + info;
    String uncounted = "01000304" + "00000011" + info;
    receive(counted);
    receive(uncounted);
    assertEquals(List.of(counted, uncounted), handed);
    receive("01000304" + "00000010" + info);
    receive("01000304" + "00000015" + info);
    assertEquals(List.of(Fault.LENGTH, Fault.LENGTH), faults);
  }
}
