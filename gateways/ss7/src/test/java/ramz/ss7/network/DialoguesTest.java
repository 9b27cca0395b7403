// SPDX-License-Identifier: AGPL-3.0-only
package ramz.ss7.network;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static ramz.ss7.network.Fakes.fake;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.mobicents.protocols.ss7.map.api.MAPApplicationContextName;
import org.mobicents.protocols.ss7.map.api.MAPApplicationContextVersion;
import org.mobicents.protocols.ss7.map.api.MAPException;
import org.mobicents.protocols.ss7.map.api.MAPProvider;
import org.mobicents.protocols.ss7.map.api.dialog.MAPRefuseReason;
import org.mobicents.protocols.ss7.map.api.service.sms.MAPDialogSms;
import org.mobicents.protocols.ss7.map.api.service.sms.MAPServiceSms;
import org.mobicents.protocols.ss7.tcap.asn.comp.Problem;
import org.mobicents.protocols.ss7.tcap.asn.comp.ProblemType;
import ramz.ss7.network.Answer.Failed;
import ramz.ss7.network.Answer.Why;

/** How dialogues end, and whether their request was in any of the messages that were sent until then. */
final class DialoguesTest {
  private static final int room = 200;

  /** Messages of TCAP that went out: those with the request in them, and those without. */
  private final List<String> sent = new ArrayList<>();
  private final List<MAPDialogSms> dialogs = new ArrayList<>();
  private final List<String> versions = new ArrayList<>();
  private int length = 100;
  private boolean isBroken;
  private boolean hasRequest;
  private final Dialogues dialogues = new Dialogues(provider(), null);
  private final Exchange exchange = new Exchange(MAPApplicationContextName.shortMsgMTRelayContext, null, 1_000, (dialog, version, timeoutMs) -> {
    versions.add(version.name());
    hasRequest = true;
  });

  private MAPProvider provider() {
    var service = fake(MAPServiceSms.class, (method, arguments) -> method.equals("createNewDialog") ? dialog() : null);
    return fake(MAPProvider.class, (method, arguments) -> method.equals("getMAPServiceSms") ? service : null);
  }

  private MAPDialogSms dialog() {
    long id = dialogs.size();
    hasRequest = false;
    var dialog = fake(MAPDialogSms.class, (method, arguments) -> switch (method) {
      case "getLocalDialogId" -> id;
      case "getMessageUserDataLengthOnSend" -> length;
      case "getMaxUserDataLength" -> room;
      case "send" -> {
        if (isBroken) throw new IllegalStateException("no way");
        yield sent.add(hasRequest ? "request" : "empty") ? null : null;
      }
      default -> null;
    });
    dialogs.add(dialog);
    return dialog;
  }

  private MAPDialogSms last() {
    return dialogs.get(dialogs.size() - 1);
  }

  private Failed failure() {
    return (Failed) exchange.answer.join();
  }

  /** Whatever ends a dialogue without an answer of MAP's. */
  enum End {
    TIMEOUT((dialogues, dialog) -> dialogues.onDialogTimeout(dialog)),
    RELEASE((dialogues, dialog) -> dialogues.onDialogRelease(dialog)),
    USER_ABORT((dialogues, dialog) -> dialogues.onDialogUserAbort(dialog, null, null)),
    PROVIDER_ABORT((dialogues, dialog) -> dialogues.onDialogProviderAbort(dialog, null, null, null));

    final BiConsumer<Dialogues, MAPDialogSms> comes;

    End(BiConsumer<Dialogues, MAPDialogSms> comes) {
      this.comes = comes;
    }
  }

  @ParameterizedTest
  @EnumSource
  void aRequestThatWasHeldBackTillTheEndWasNeverSent(End end) {
    length = room + 1;
    dialogues.begin(exchange);
    assertEquals(List.of("empty"), sent);
    end.comes.accept(dialogues, last());
    assertFalse(failure().isSent());
    // What comes too late sends nothing either.
    dialogues.onDialogTimeout(last());
    assertEquals(List.of("empty"), sent);
    assertEquals(0, dialogues.underWay());
  }

  @ParameterizedTest
  @EnumSource
  void aRequestThatFollowedTheConfirmationWasSent(End end) {
    length = room + 1;
    dialogues.begin(exchange);
    hasRequest = false;
    dialogues.onDialogDelimiter(last());
    assertEquals(List.of("empty", "request"), sent);
    end.comes.accept(dialogues, last());
    assertEquals(true, failure().isSent());
  }

  @ParameterizedTest
  @EnumSource
  void aRequestInTheFirstMessageWasSent(End end) {
    dialogues.begin(exchange);
    assertEquals(List.of("request"), sent);
    end.comes.accept(dialogues, last());
    assertEquals(true, failure().isSent());
  }

  @Test
  void whatTheStackRefusesToSendIsNotCarried() {
    isBroken = true;
    dialogues.begin(exchange);
    assertEquals(Why.NOT_CARRIED, failure().why());
    assertEquals(0, dialogues.underWay());
  }

  @ParameterizedTest
  @CsvSource({"NoReasonGiven, REFUSED", "InvalidDestinationReference, REFUSED", "RemoteNodeNotReachable, NOT_CARRIED"})
  void aRefusalIsNoMessageThatTheNetworkReturned(MAPRefuseReason reason, Why why) {
    dialogues.begin(exchange);
    dialogues.onDialogReject(last(), reason, null, null);
    assertEquals(why, failure().why());
  }

  @ParameterizedTest
  @CsvSource({"true, ReturnResult, ABORTED", "true, ReturnError, REFUSED", "false, Invoke, REFUSED"})
  void aResultThatCanNotBeReadIsNoRefusal(boolean isLocal, ProblemType type, Why why) {
    dialogues.begin(exchange);
    var problem = fake(Problem.class, (method, arguments) -> method.equals("getType") ? type : null);
    new Answers(dialogues).onRejectComponent(last(), 1L, problem, isLocal);
    assertEquals(why, failure().why());
  }

  @Test
  void aNodeThatDoesNotKnowVersion3IsAskedInVersion2AndNoFurther() throws MAPException {
    dialogues.begin(exchange);
    dialogues.onDialogReject(last(), MAPRefuseReason.ApplicationContextNotSupported, null, null);
    assertEquals(List.of("version3", "version2"), versions);
    assertEquals(MAPApplicationContextVersion.version2, exchange.version);
    dialogues.onDialogReject(last(), MAPRefuseReason.ApplicationContextNotSupported, null, null);
    assertEquals(Why.REFUSED, failure().why());
    assertEquals(2, sent.size());
  }
}
