// SPDX-License-Identifier: AGPL-3.0-only
package ramz.ss7.smpp;

import org.jsmpp.SMPPConstant;
import org.jsmpp.bean.BroadcastSm;
import org.jsmpp.bean.CancelBroadcastSm;
import org.jsmpp.bean.CancelSm;
import org.jsmpp.bean.DataSm;
import org.jsmpp.bean.QueryBroadcastSm;
import org.jsmpp.bean.QuerySm;
import org.jsmpp.bean.ReplaceSm;
import org.jsmpp.bean.SubmitMulti;
import org.jsmpp.extra.ProcessRequestException;
import org.jsmpp.session.BroadcastSmResult;
import org.jsmpp.session.DataSmResult;
import org.jsmpp.session.QueryBroadcastSmResult;
import org.jsmpp.session.QuerySmResult;
import org.jsmpp.session.SMPPServerSession;
import org.jsmpp.session.ServerMessageReceiverListener;
import org.jsmpp.session.Session;
import org.jsmpp.session.SubmitMultiResult;

/** Refuses every request of a client but submit_sm. */
abstract class SubmitOnly implements ServerMessageReceiverListener {
  private static ProcessRequestException unknown() {
    return new ProcessRequestException("only submit_sm is understood", SMPPConstant.STAT_ESME_RINVCMDID);
  }

  @Override
  public SubmitMultiResult onAcceptSubmitMulti(SubmitMulti request, SMPPServerSession session) throws ProcessRequestException {
    throw unknown();
  }

  @Override
  public QuerySmResult onAcceptQuerySm(QuerySm request, SMPPServerSession session) throws ProcessRequestException {
    throw unknown();
  }

  @Override
  public void onAcceptReplaceSm(ReplaceSm request, SMPPServerSession session) throws ProcessRequestException {
    throw unknown();
  }

  @Override
  public void onAcceptCancelSm(CancelSm request, SMPPServerSession session) throws ProcessRequestException {
    throw unknown();
  }

  @Override
  public BroadcastSmResult onAcceptBroadcastSm(BroadcastSm request, SMPPServerSession session) throws ProcessRequestException {
    throw unknown();
  }

  @Override
  public void onAcceptCancelBroadcastSm(CancelBroadcastSm request, SMPPServerSession session) throws ProcessRequestException {
    throw unknown();
  }

  @Override
  public QueryBroadcastSmResult onAcceptQueryBroadcastSm(QueryBroadcastSm request, SMPPServerSession session)
      throws ProcessRequestException {
    throw unknown();
  }

  @Override
  public DataSmResult onAcceptDataSm(DataSm request, Session session) throws ProcessRequestException {
    throw unknown();
  }
}
